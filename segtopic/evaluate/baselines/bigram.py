"""A bigram that backs off to another model: counts of neighbours and a base model in, words out.

Inside a span, after the word ``v``,

    p(w | v, d) = (c(v, w) + mu p_base(w | d)) / (c(v) + mu),    c(v) = sum over w of c(v, w),

and ``p_base(w | d)`` at a span's start. The base is the unigram, which gives the smoothed bigram,
or an LDA: no phrases and no segmentation, but the bar that a model of topics and phrases has to
pass. With ``mu`` to infinity it is the base.

>>> train = Documents.from_lists([[[0, 1], [0, 1], [0, 2]]])
>>> counts = BigramCounts.of(train, vocabulary_size=3)
>>> seen = counts.look_up(Documents.from_lists([[[0, 1, 2]]]))
>>> seen.pairs.tolist(), seen.histories.tolist()
([0, 2, 0], [0, 3, 0])
"""

from dataclasses import dataclass

import numpy as np

from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.sequences import distinct_sequences
from segtopic.evaluate.baselines.baseline import Baseline, continuation_log_likelihood
from segtopic.evaluate.baselines.unigram import Unigram
from segtopic.evaluate.heldout import FloatArray, HeldOut, continuation_words
from segtopic.model.lookup import at, find


@dataclass(frozen=True)
class NeighbourCounts:
    """What training knows of each word and the one before it; zeros at a span's start.

    Attributes:
        pairs: ``(N,)`` how often the word came after the one before it, ``c(v, w)``.
        histories: ``(N,)`` how often anything came after the one before it, ``c(v)``.
    """

    pairs: IntArray
    histories: IntArray

    def smoothed(self, base: FloatArray, mu: float) -> FloatArray:
        """``(N,)`` log probabilities, from those of the base model."""
        if not mu > 0:
            raise ValueError(f"mu is {mu}, but must be above 0")
        # c/mu + p rather than c + mu p: no overflow, and exactly the base, for a large mu.
        smoothed: FloatArray = np.log(self.pairs / mu + np.exp(base)) - np.log1p(
            self.histories / mu
        )
        return np.where(self.histories > 0, smoothed, base)


@dataclass(frozen=True)
class BigramCounts:
    """How often each word followed each word inside a span.

    Attributes:
        keys: ``(B,)`` sorted, ``v * V + w`` for every pair that was seen.
        counts: ``(B,)`` how often.
        totals: ``(V,)`` how often anything followed ``v``.
    """

    keys: IntArray
    counts: IntArray
    totals: IntArray

    @classmethod
    def of(cls, documents: Documents, vocabulary_size: int) -> "BigramCounts":
        """Count the neighbours."""
        (pairs,) = distinct_sequences(
            documents, documents.words, vocabulary_size, first=2, longest=2
        )
        totals = np.bincount(pairs.parent, weights=pairs.count, minlength=vocabulary_size)
        keys = pairs.parent * vocabulary_size + pairs.word
        return cls(keys, pairs.count, totals.astype(np.int64))

    def look_up(self, documents: Documents) -> NeighbourCounts:
        """The counts that belong to every word of the documents."""
        words = documents.words.astype(np.int64)
        second = np.flatnonzero(continuation_words(documents))
        pairs, histories = np.zeros((2, len(words)), dtype=np.int64)
        histories[second] = self.totals[words[second - 1]]
        wanted = words[second - 1] * len(self.totals) + words[second]
        pairs[second] = at(self.counts, find(self.keys, wanted)).numpy()
        return NeighbourCounts(pairs, histories)


@dataclass(frozen=True)
class BackoffBigram:
    """Counts of neighbours over a base model."""

    base: Baseline
    counts: BigramCounts
    mu: float

    @classmethod
    def fit(
        cls, train: Documents, vocabulary_size: int, mu: float = 50.0, smoothing: float = 1.0
    ) -> "BackoffBigram":
        """The smoothed in-span bigram: backs off to the unigram."""
        base = Unigram.fit(train, vocabulary_size, smoothing)
        return cls(base, BigramCounts.of(train, vocabulary_size), mu)

    def word_log_probabilities(self, held_out: HeldOut) -> FloatArray:
        """See :class:`segtopic.evaluate.baselines.baseline.Baseline`."""
        base = self.base.word_log_probabilities(held_out)
        return self.counts.look_up(held_out.scored).smoothed(base, self.mu)

    def continuation_log_likelihood(self, held_out: HeldOut) -> float:
        """Mean over the scored words with a neighbour before them: what training logs beside it."""
        return continuation_log_likelihood(self, held_out)


def bigram_continuation(
    train: Documents, held_out: Documents, vocabulary_size: int
) -> float | None:
    """The smoothed bigram's log likelihood per continuation word; ``None`` if there is none."""
    parts = HeldOut.of(held_out)
    if not parts.continues.any():
        return None
    return BackoffBigram.fit(train, vocabulary_size).continuation_log_likelihood(parts)
