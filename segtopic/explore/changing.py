"""Topics over time and by group: shares and values of documents in, :class:`Changes` out.

The share of a topic in a year is the mean of its shares in the documents of that year; its interval
comes of drawing these documents again and again with replacement. The phrases of a topic in a year
are its own phrases, those first that are frequent in the topic's documents of that year, more so
than in those of all years, and more so in the topic than elsewhere; a long phrase stands for more.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.evaluate.bootstrap import bootstrap_means
from segtopic.explore.changes import Changes, TopicChange
from segtopic.explore.values import NOWHERE, Binned
from segtopic.segment.segmented import FloatArray
from segtopic.topics import Term, Topic
from segtopic.topics.counts import counts_by_document
from segtopic.topics.phrases import NO_WORD

CANDIDATES = 60  # phrases of a topic that may be the best ones of some value
REPEATED = 2  # documents of a value at least that hold a phrase of it


def changes(
    topics: Sequence[Topic],
    shares: FloatArray,
    documents: Documents,
    vocabulary: Vocabulary,
    values: Binned,
    n_phrases: int = 5,
    seed: int = 0,
) -> Changes:
    """What becomes of topics from value to value.

    Args:
        topics: with their phrases, in any order.
        shares: ``(D, T)`` of the topics in that order.
        documents: their words.
        vocabulary: of the words.
        values: of the documents.
        n_phrases: of each topic and value, at most.
        seed: of the intervals.
    """
    intervals = [
        bootstrap_means(shares[values.place == place], seed=seed)
        for place in range(len(values.labels))
    ]
    spoken = _phrases_by_value(topics, shares, documents, vocabulary, values, n_phrases)
    found = tuple(
        TopicChange(
            topic=topic.number,
            name=topic.label,
            share=tuple(float(each.mean[column]) for each in intervals),
            low=tuple(float(each.low[column]) for each in intervals),
            high=tuple(float(each.high[column]) for each in intervals),
            phrases=spoken[column],
        )
        for column, topic in enumerate(topics)
    )
    without = int((values.place == NOWHERE).sum())
    return Changes(values.labels, found, values.column, values.counts, without, values.unread)


def _phrases_by_value(
    topics: Sequence[Topic],
    shares: FloatArray,
    documents: Documents,
    vocabulary: Vocabulary,
    values: Binned,
    n_phrases: int,
) -> list[tuple[tuple[str, ...], ...]]:
    texts = list(dict.fromkeys(term.text for topic in topics for term in topic.phrases))
    rows = {text: row for row, text in enumerate(texts)}
    counts = _counts_by_document(texts, documents, vocabulary)
    known = values.place != NOWHERE
    of_value = sparse.csr_array(
        (np.ones(known.sum()), (np.flatnonzero(known), values.place[known])),
        shape=(len(known), len(values.labels)),
    )
    held = (counts > 0).astype(np.float64) @ of_value  # documents with the phrase
    words = documents.words_per_document
    found = []
    for column, topic in enumerate(topics):
        own = [rows[term.text] for term in topic.phrases]
        weights = of_value.multiply(shares[:, [column]]).tocsr()
        total = np.maximum(weights.T @ words, 1e-12)
        rate = (counts[own] @ weights).toarray() / total
        overall = (counts[own] @ shares[:, column]) / max(float(shares[:, column] @ words), 1e-12)
        lift = rate / np.maximum(overall, 1e-12)[:, None]
        weight = np.array([_weight(term) for term in topic.phrases])[:, None]
        score = np.where(held[own].toarray() >= REPEATED, weight * rate * np.log1p(lift), 0.0)
        best = np.argsort(-score, axis=0, kind="stable")[:n_phrases]
        found.append(
            tuple(
                tuple(texts[own[row]] for row in best[:, place] if score[row, place] > 0)
                for place in range(len(values.labels))
            )
        )
    return found


def _weight(term: Term) -> float:
    """As in a list by relevance: words, and how much more probable the topic makes them."""
    return len(term.text.split(" ")) * max(math.log(term.lift), 0.0)


def _counts_by_document(
    texts: Sequence[str], documents: Documents, vocabulary: Vocabulary
) -> sparse.csr_array:
    """``(P, D)``: how often each phrase stands in each document."""
    numbers = [[vocabulary.numbers[word] for word in text.split(" ")] for text in texts]
    longest = max(map(len, numbers), default=1)
    phrases: IntArray = np.full((len(numbers), longest), NO_WORD, dtype=np.int64)
    for row, words in enumerate(numbers):
        phrases[row, : len(words)] = words
    return counts_by_document(documents, phrases)
