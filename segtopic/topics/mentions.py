"""What the documents of a topic speak of: documents, topic weights, phrases in, relevance out.

A document that holds a phrase mentions it, however often: what it says again is its own habit, as
it is for the model (:mod:`segtopic.model.urn`). With the weight ``s_k(d)`` of topic ``k`` in
document ``d``, the square root of its share made to sum to one,

    n_k(phrase) = sum of s_k(d) over the documents d that mention the phrase

is how many documents of the topic do. The root leaves something to a document's smaller topics,
which its mentions may be about. The topic has the share ``n_k(phrase) / n(phrase)`` of all
documents that do; how many times its share of all documents that is, is the phrase's lift, and

    relevance = words of the phrase * n_k(phrase) * log lift.

So a phrase is relevant if much is said of it where the topic is, and more than elsewhere. Counting
documents and not words makes lists far more coherent, for LDA's topics as well as for segtopic's
(docs/experiments.md, *Coherent lists*): what stands ten times in one document tells little of the
topic's other documents. And what the model makes probable must be said there: its phrase memory
goes on from a first word whatever the topic is, so where companies are acquired, "acquired immune
deficiency" is as much more probable than elsewhere as "acquired".

>>> text = Documents.from_lists([[[0, 1], [0]], [[0, 1, 1]], [[2]], [[1]]])
>>> weights = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.0, 1.0]])
>>> word_mentions(text, 3, weights).in_topic.tolist()
[[1.5, 1.5, 0.0], [0.5, 1.5, 1.0]]
>>> found = phrase_mentions(text, np.array([[0, 1], [1, -1]]), weights)
>>> found.in_topic.tolist(), found.anywhere.tolist(), found.size.tolist()
([[1.5, 1.5], [0.5, 1.5]], [2, 3], [[0.375], [0.625]])
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from segtopic.corpus.documents import Documents, IntArray
from segtopic.segment.segmented import FloatArray
from segtopic.topics.counts import counts_by_document


@dataclass(frozen=True)
class Mentions:
    """How many documents mention phrases."""

    in_topic: FloatArray  # (M,) those of a topic, by weight, or (K, M) of each
    anywhere: IntArray  # (M,)
    size: FloatArray  # () the topic's share of all documents, or (K, 1) of each

    def of_topic(self, topic: int) -> "Mentions":
        """In one of several."""
        return Mentions(self.in_topic[topic], self.anywhere, self.size[topic, 0])

    def __getitem__(self, rows: IntArray) -> "Mentions":
        return Mentions(self.in_topic[..., rows], self.anywhere[rows], self.size)

    @property
    def log_lift(self) -> FloatArray:
        """Minus infinity for what no document of the topic mentions."""
        by_chance = np.maximum(self.anywhere, 1) * self.size
        with np.errstate(divide="ignore", invalid="ignore"):
            found: FloatArray = np.log(self.in_topic / by_chance)
        return found

    def relevance(self, n_words: IntArray | int = 1) -> FloatArray:
        """Larger is better; what is mentioned as often elsewhere has none."""
        found: FloatArray = n_words * self.in_topic * np.maximum(self.log_lift, 0)
        return found


def topic_weights(shares: FloatArray) -> FloatArray:
    """``(D, K)`` weights of topics in documents from their shares; both sum to one."""
    roots = np.sqrt(shares)
    weights: FloatArray = roots / roots.sum(1, keepdims=True)
    return weights


def word_mentions(documents: Documents, vocabulary_size: int, weights: FloatArray) -> Mentions:
    """Of all words in all topics, by the ``(D, K)`` weights of these."""
    return _mentions(documents.bag_of_words(vocabulary_size).T.tocsr(), weights)


def phrase_mentions(documents: Documents, phrases: IntArray, weights: FloatArray) -> Mentions:
    """Of ``(M, L)`` phrases, no two of them the same, in all topics, by ``(D, K)`` weights."""
    return _mentions(counts_by_document(documents, phrases), weights)


def _mentions(counts: sparse.csr_array, weights: FloatArray) -> Mentions:
    """From ``(M, D)`` counts."""
    counts.data[:] = 1
    in_topic: FloatArray = (counts @ weights).T
    return Mentions(in_topic, np.diff(counts.indptr), weights.mean(0)[:, None])
