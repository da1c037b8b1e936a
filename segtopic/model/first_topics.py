"""Topics before there is a network: LDA's, and how they read; documents in, topics and phrases out.

They are where the training starts from, and what a user can look at while it goes on. Nothing here
needs torch, which takes as long to import as LDA takes for the topics of a thousand abstracts.

A phrase is here a run of words in a span that is far more frequent than its words would have it by
chance. It belongs to the topics that have all its words,

    p(topic k | phrase) ~ alpha_k prod over its words w of topic_k(w),

and a topic is described by the phrases that stand most in it, and more there than elsewhere.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.sequences import distinct_sequences
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.model.lda import FloatArray, GibbsTopics, sample_topics

if TYPE_CHECKING:  # scipy is slow to import, and few trainings have seeds
    from segtopic.model.seeds import Seeds

LDA_ETA, LDA_ITERATIONS = 0.1, 200
LDA_WORDS = 1 << 21  # of the documents from which first topics are sampled; others are left out
LONGEST = 3  # words of a phrase
LEAST_COUNT = 5
LEAST_LIFT = 20.0  # times that a phrase is more frequent than by chance
NO_WORD = -1


class FirstTopic(NamedTuple):
    """A topic to read.

    Attributes:
        share: Of the words of documents, about.
        phrases: The best ones, first.
    """

    share: float
    phrases: list[str]


def find_first_topics(
    documents: Documents,
    vocabulary_size: int,
    n_topics: int,
    seed: int,
    seeds: "Seeds | None" = None,
    common: bool = False,
    seen: Callable[[GibbsTopics], None] = lambda found: None,
) -> GibbsTopics:
    """LDA's topics, with a prior for seeds.

    Args:
        documents: of the training.
        vocabulary_size: of their words.
        n_topics: how many.
        seed: of the sampler.
        seeds: for the first topics, if any.
        common: whether to look for words that all documents share.
        seen: shown topics as soon as some can be read; those that are returned are better.
    """
    at_once = seen if seeds is None else lambda found: None
    some = some_of(documents, seed)
    found = sample_topics(
        some,
        vocabulary_size,
        n_topics,
        LDA_ETA,
        LDA_ITERATIONS,
        seed=seed,
        common=common,
        seen=at_once,
    )
    if seeds is not None:
        from segtopic.model.seeds import seeded_topics

        found = seeded_topics(found, some, seeds, LDA_ETA)
        seen(found)
    return found


def some_of(documents: Documents, seed: int) -> Documents:
    """All documents, or so many at random that LDA takes bounded time and memory."""
    if documents.n_words <= LDA_WORDS:
        return documents
    order = np.random.default_rng(seed).permutation(documents.n_documents)
    n_words = np.cumsum(documents.words_per_document[order])
    return documents.select(np.sort(order[: np.searchsorted(n_words, LDA_WORDS)]))


def read_first_topics(
    found: GibbsTopics, documents: Documents, vocabulary: Vocabulary, n_phrases: int = 8
) -> list[FirstTopic]:
    """The topics by their phrases, the largest first."""
    documents = some_of(documents, seed=0)
    phrases, counts = _phrases(documents, len(vocabulary))
    log_joint = np.log(found.alpha)[:, None] + _log_products(np.log(found.topics), phrases)
    of_phrase = np.exp(log_joint - log_joint.max(0))
    of_phrase /= of_phrase.sum(0)  # (K, P) which topic a phrase is of
    shares = found.alpha / found.alpha.sum()
    lengths = (phrases != NO_WORD).sum(1)
    lift = np.maximum(of_phrase / shares[:, None], 1.0)
    scores = of_phrase * counts * lengths * np.log(lift)
    texts = [" ".join(vocabulary.words[word] for word in row if word >= 0) for row in phrases]
    return [
        FirstTopic(float(shares[topic]), list(_best(scores[topic], texts, n_phrases)))
        for topic in np.argsort(-shares, kind="stable")
    ]


def _phrases(documents: Documents, vocabulary_size: int) -> tuple[IntArray, IntArray]:
    """``(P, LONGEST)`` words and phrases, filled up with ``NO_WORD``, and how often they stand."""
    counts = np.bincount(documents.words, minlength=vocabulary_size)
    found: list[IntArray] = [np.flatnonzero(counts)[:, None]]
    how_often: list[IntArray] = [counts[counts > 0]]
    levels = distinct_sequences(
        documents, documents.words, vocabulary_size, first=2, longest=LONGEST
    )
    before: IntArray = counts  # of what a sequence continues
    for length, level in enumerate(levels, start=2):
        by_chance = before[level.parent] * counts[level.word] / max(documents.n_words, 1)
        is_phrase = (level.count >= LEAST_COUNT) & (level.count > LEAST_LIFT * by_chance)
        places = level.example[is_phrase, None] + np.arange(length)
        found.append(documents.words[places])
        how_often.append(level.count[is_phrase])
        before = level.count
    filled = [
        np.pad(words, ((0, 0), (0, LONGEST - words.shape[1])), constant_values=NO_WORD)
        for words in found
    ]
    return np.concatenate(filled), np.concatenate(how_often)


def _log_products(log_topics: FloatArray, phrases: IntArray) -> FloatArray:
    """``(K, P)``: of each phrase the logarithm of its words' product in each topic."""
    total = np.zeros((len(log_topics), len(phrases)))
    for place in range(phrases.shape[1]):
        there = phrases[:, place] != NO_WORD
        total[:, there] += log_topics[:, phrases[there, place]]
    return total


def _best(scores: FloatArray, texts: list[str], n_phrases: int) -> Iterator[str]:
    """The best ones, none of which is a piece of another."""
    chosen: list[str] = []
    for place in np.argsort(-scores, kind="stable"):
        if len(chosen) == n_phrases or scores[place] <= 0:
            return
        text = f" {texts[place]} "
        if not any(text in other or other in text for other in chosen):
            chosen.append(text)
            yield texts[place]
