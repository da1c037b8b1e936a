"""Seeds as a prior: topics of LDA and seeds in, topics that favour the seeds out.

The topics of LDA have a Dirichlet prior with the same pseudo-count for every word. A seed adds to
it in its topic, in proportion to how often the training text has the word,

    eta_kw = eta + strength * n_w,

so that a strength of 1 is as if the whole text had been read once before, each seed in its topic.
The documents outweigh that where they say otherwise.

A Gibbs sampler does not find its way to the topics of this prior: seeds are few of all words, and
once the others have settled, the chain stays with them (a planted topic stood at the number of its
seeds for two of four random seeds). So LDA is sampled as ever, its topics are matched with the
seeds, and expectation-maximisation goes on from there, under the prior and without chance. The
topics stay in the model as they are; the network can correct, but not replace them, so the prior
holds to the end of training.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.spans import TextEncoder
from segtopic.errors import ConfigError
from segtopic.model.lda import CommonTopic, FloatArray, GibbsTopics

SHOWN = 5
ITERATIONS = 50


class UnknownSeeds(UserWarning):
    """Some seeds are not in the vocabulary."""


@dataclass(frozen=True, eq=False)
class Seeds:
    """What the first topics are to be about.

    Attributes:
        words: Of each seeded topic, by its number: numbers of words, each once.
        strength: Times that the prior has seen each seed, for each time that the text has it.
    """

    words: tuple[IntArray, ...]
    strength: float

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]], encoder: TextEncoder, strength: float) -> "Seeds":
        """Seeds in numbers; a phrase seeds its words. What is unknown is told in a warning."""
        found: list[IntArray] = []
        unknown: list[str] = []
        for name, *seeds in rows:
            encoded = encoder.encode(seeds).documents
            known = encoded.words_per_document > 0
            unknown += [seed for seed, is_known in zip(seeds, known, strict=True) if not is_known]
            if not encoded.n_words:
                raise ConfigError(
                    f"seeds: topic '{name}' has no seed that the corpus knows; give it other words"
                )
            found.append(np.unique(encoded.words).astype(np.int64))
        if unknown:
            more = f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
            named = ", ".join(f"'{seed}'" for seed in unknown[:SHOWN])
            warnings.warn(
                f"seeds that are no words of the corpus are left out: {named}{more}",
                UnknownSeeds,
                stacklevel=2,
            )
        return cls(tuple(found), strength)

    def prior(self, n_topics: int, counts: FloatArray) -> FloatArray:
        """``(K, V)``, what is added to the pseudo-counts, for a text with ``(V,)`` counts."""
        added = np.zeros((n_topics, len(counts)))
        for topic, words in enumerate(self.words):
            added[topic, words] = self.strength * counts[words]
        return added


def seeded_topics(
    found: GibbsTopics, documents: Documents, seeds: Seeds, eta: float
) -> GibbsTopics:
    """The most probable topics near those that were found, under the prior of the seeds.

    Args:
        found: by LDA.
        documents: of the training.
        seeds: for the first topics.
        eta: pseudo-count of every word in every topic.
    """
    counts = _bags(documents, found.topics.shape[1])
    in_all = np.asarray(counts.sum(0)).ravel()
    order = _matched(found, seeds, in_all)
    topics, alpha = found.topics[order].copy(), found.alpha[order]
    if found.common is not None:
        topics = np.vstack([topics, found.common.words])
        alpha = np.append(alpha, found.common.alpha)
    for topic, words in enumerate(seeds.words):
        # Half of what is found in the documents with seeds, so that a topic that LDA has not found
        # can begin where its seeds are.
        beside = np.asarray(counts[:, words].sum(1)).ravel() @ counts
        if beside.sum():
            topics[topic] = (topics[topic] + beside / beside.sum()) / 2
    prior = eta + seeds.prior(len(topics), in_all)
    shares = np.tile(alpha / alpha.sum(), (counts.shape[0], 1))
    document, word = counts.nonzero()
    for _ in range(ITERATIONS):
        likelihood = np.einsum("nk,nk->n", shares[document], topics.T[word])
        weights = sparse.csr_array((counts.data / likelihood, (document, word)), counts.shape)
        in_topics = topics * (weights.T @ shares).T  # (K, V) expected counts
        in_documents = shares * (weights @ topics.T) + alpha
        shares = in_documents / in_documents.sum(1, keepdims=True)
        topics = in_topics + prior
        topics /= topics.sum(1, keepdims=True)
    if found.common is None:
        return GibbsTopics(topics, alpha)
    common = CommonTopic(topics[-1], float(alpha[-1]))
    return GibbsTopics(topics[:-1], alpha[:-1], common)


def _bags(documents: Documents, vocabulary_size: int) -> sparse.csr_array:
    """``(D, V)`` how often each document has each word."""
    document = np.repeat(np.arange(documents.n_documents), documents.words_per_document)
    shape = (documents.n_documents, vocabulary_size)
    bags = sparse.csr_array((np.ones(documents.n_words), (document, documents.words)), shape)
    bags.sum_duplicates()
    return bags


def _matched(found: GibbsTopics, seeds: Seeds, counts: FloatArray) -> IntArray:
    """The order of the topics in which the seeded ones come first, each with most of its seeds."""
    joint = found.alpha[:, None] * found.topics
    of_word = joint / joint.sum(0)  # (K, V) which topic a word is of
    expected = np.stack([of_word[:, words] @ counts[words] for words in seeds.words])
    _, chosen = linear_sum_assignment(-expected)
    others = np.setdiff1d(np.arange(len(joint)), chosen)
    return np.concatenate([chosen, others])
