"""How sure a likelihood or a share is: figures of documents in, intervals out.

Documents are drawn with replacement, because words of one document are not independent. The mean
per word is a ratio of sums over the drawn documents. The difference of two models is taken on the
same draws: both find the same documents hard, and most of that cancels.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from segtopic.evaluate.heldout import DocumentScores, FloatArray

# Rows of drawn documents that are held at once; bounds the memory on large test sets.
_DRAWN_AT_ONCE = 2**22


@dataclass(frozen=True)
class Interval:
    """A mean per word and the percentile interval around it."""

    mean: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        return self.low > 0 or self.high < 0

    @property
    def lead(self) -> "Lead":
        """Of a difference, how one would say it.

        >>> Interval(-0.25, -0.5, 0.125).lead
        Lead(place='behind', by=Interval(mean=0.25, low=-0.125, high=0.5))
        """
        if self.mean < 0:
            return Lead("behind", Interval(-self.mean, -self.high, -self.low))
        return Lead("ahead", self)


class Lead(NamedTuple):
    """How far the first of two models is ahead of the second, or behind it."""

    place: Literal["ahead", "behind"]
    by: Interval


def bootstrap_interval(
    scores: DocumentScores, level: float = 0.95, resamples: int = 2000, seed: int = 0
) -> Interval:
    """The interval of the mean log likelihood per word."""
    return _interval(scores.log_likelihood, scores.words.astype(float), level, resamples, seed)


def bootstrap_difference(
    first: DocumentScores,
    second: DocumentScores,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """The interval of ``first - second`` per word, paired by document."""
    if not np.array_equal(first.words, second.words):
        raise ValueError("the two scores are not of the same scored words; use the same documents")
    difference = first.log_likelihood - second.log_likelihood
    return _interval(difference, first.words.astype(float), level, resamples, seed)


class MeanIntervals(NamedTuple):
    """Means of columns and percentile intervals around them, ``(G,)`` each."""

    mean: FloatArray
    low: FloatArray
    high: FloatArray


def bootstrap_means(
    values: FloatArray, level: float = 0.95, resamples: int = 1000, seed: int = 0
) -> MeanIntervals:
    """The mean of each column of ``(D, G)`` values, one row a document, all on the same draws."""
    n_documents, n_columns = values.shape
    if not n_documents:
        nothing = np.full(n_columns, np.nan)
        return MeanIntervals(nothing, nothing, nothing)
    generator = np.random.default_rng(seed)
    means = np.empty((resamples, n_columns))
    step = max(1, _DRAWN_AT_ONCE // n_documents)
    for begin in range(0, resamples, step):
        shape = (min(step, resamples - begin), n_documents)
        drawn = generator.integers(n_documents, size=shape)
        rows = np.arange(len(drawn))[:, None] * n_documents
        times = np.bincount((drawn + rows).ravel(), minlength=drawn.size).reshape(shape)
        means[begin : begin + step] = times @ values / n_documents
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return MeanIntervals(values.mean(0), low, high)


def _interval(
    sums: FloatArray, words: FloatArray, level: float, resamples: int, seed: int
) -> Interval:
    if not 0 < level < 1 or resamples < 1:
        raise ValueError(f"level {level} must lie between 0 and 1, resamples {resamples} above 0")
    # A document without scored words adds nothing to either sum; a draw of only such is impossible.
    counted = words > 0
    sums, words = sums[counted], words[counted]
    if not len(words):
        return Interval(float("nan"), float("nan"), float("nan"))
    generator = np.random.default_rng(seed)
    ratios = np.empty(resamples)
    step = max(1, _DRAWN_AT_ONCE // len(words))
    for begin in range(0, resamples, step):
        shape = (min(step, resamples - begin), len(words))
        drawn = generator.integers(len(words), size=shape)
        ratios[begin : begin + step] = sums[drawn].sum(1) / words[drawn].sum(1)
    low, high = np.quantile(ratios, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(sums.sum() / words.sum()), float(low), float(high))
