"""Counts over another model, interpolated: what Pitman-Yor processes say of the next word.

With ``c(h, w)`` occurrences of ``w`` after the words ``h``, ``C(h)`` of any word, ``N(h)``
different words, and a model that is asked where they know too little,

    p(w | h) = ((c(h, w) - discount)+ + (strength + discount N(h)) p_base(w)) / (strength + C(h)).

It sums to one over the words if the base does. One level over the other makes an n-gram: this is
the hierarchical Pitman-Yor language model with one table for each kind (Teh 2006), interpolated
Kneser-Ney smoothing with a strength. Without a discount it is Dirichlet smoothing, and over the
words of a document a Polya urn. Where a history is unknown it is the base.

The numbers are few and the likelihood is smooth in them, so they are found by their gradient.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from segtopic.evaluate.baselines.counts import Seen
from segtopic.evaluate.heldout import FloatArray

# Where to look: a level that only adds its base costs nothing beyond the largest strength.
_DISCOUNTS = (0.0, 0.99)
_LOG_STRENGTHS = (-7.0, 14.0)
# Finer than usual: the likelihood is flat where a level adds nothing, and the search goes on there.
_SEARCH = {"ftol": 1e-12, "gtol": 1e-8}
_DIGITS = 3  # of what is chosen; more changes no likelihood


@dataclass(frozen=True)
class Trust:
    """How far counts are trusted.

    Attributes:
        strength: How many counts the base is worth, above 0.
        discount: What each kind gives to the base, at least 0 and below 1.
    """

    strength: float
    discount: float = 0.0

    def __post_init__(self) -> None:
        if not self.strength > 0:
            raise ValueError(f"the strength is {self.strength}, but must be above 0")
        if not 0 <= self.discount < 1:
            raise ValueError(f"the discount is {self.discount}, but must be at least 0 and below 1")


class Level(NamedTuple):
    """Counts, and where the search for their trust begins; a discount of 0 is kept."""

    seen: Seen
    start: Trust


def interpolated(base: FloatArray, seen: Seen, trust: Trust) -> FloatArray:
    """``(N,)`` log probabilities over those of the base."""
    with np.errstate(divide="ignore"):  # log 0 where a word was not seen
        known = np.log(np.maximum(seen.same - trust.discount, 0) / trust.strength)
    asked = np.log1p(trust.discount * seen.kinds / trust.strength)
    # Divided by the strength: no overflow, and exactly the base, for a large one.
    mixed: FloatArray = np.logaddexp(known, asked + base) - np.log1p(seen.all / trust.strength)
    return mixed


def stacked(base: FloatArray, seen: Sequence[Seen], trusts: Sequence[Trust]) -> FloatArray:
    """``(N,)`` log probabilities of all levels, each over the one before."""
    for one, trust in zip(seen, trusts, strict=True):
        base = interpolated(base, one, trust)
    return base


def fit_trusts(base: FloatArray, levels: Sequence[Level]) -> list[Trust]:
    """The trusts that make the words most probable, found together.

    Args:
        base: ``(N,)`` log probability of each word without any level.
        levels: the lowest first.
    """
    from scipy.optimize import minimize  # slow to import

    starts = [level.start for level in levels]
    free = np.ravel([(start.discount > 0, True) for start in starts])
    start = np.ravel([(start.discount, np.log(start.strength)) for start in starts])
    bounds = np.tile([_DISCOUNTS, _LOG_STRENGTHS], (len(levels), 1))
    probabilities, seen = np.exp(base), [level.seen for level in levels]

    def loss(numbers: FloatArray) -> tuple[float, FloatArray]:
        whole = start.copy()
        whole[free] = numbers
        value, slope = mean_log_likelihood(probabilities, seen, whole)
        return -value, -slope[free]

    found = start.copy()
    found[free] = minimize(
        loss, start[free], jac=True, method="L-BFGS-B", bounds=bounds[free], options=_SEARCH
    ).x
    return [
        Trust(strength=_rounded(np.exp(log_strength)), discount=_rounded(discount))
        for discount, log_strength in found.reshape(-1, 2)
    ]


def mean_log_likelihood(
    base: FloatArray, seen: Sequence[Seen], numbers: FloatArray
) -> tuple[float, FloatArray]:
    """The mean log probability, and its slope in each level's discount and log strength."""
    probability = base
    slopes = np.zeros((len(numbers), len(base)))
    for level, one in enumerate(seen):
        discount, strength = numbers[2 * level], np.exp(numbers[2 * level + 1])
        weight = strength + one.all
        share = (strength + discount * one.kinds) / weight
        below = probability
        probability = np.maximum(one.same - discount, 0) / weight + share * below
        slopes[: 2 * level] *= share
        slopes[2 * level] = (one.kinds * below - (one.same > 0)) / weight
        slopes[2 * level + 1] = (below - probability) / weight * strength
    slope: FloatArray = (slopes / probability).mean(1)
    return float(np.log(probability).mean()), slope


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
