"""How well a segmentation agrees with gold phrases: precision, recall, F1.

Boundaries are judged at every place between two words of a run; its ends are given and do not
count. Phrases are judged where they have several words, and count only with both ends right.

>>> inside = np.array([False, True, True, True])
>>> gold = np.array([False, True, False, True])  # [a b] [c d]
>>> found = np.array([False, True, True, False])  # [a b c] [d]
>>> score = agreement(found, gold, inside)
>>> score.boundaries.recall, score.phrases.f1
(0.0, 0.0)
"""

from dataclasses import dataclass

import numpy as np

from segtopic.corpus.documents import IntArray
from segtopic.evaluate.heldout import BoolArray


@dataclass(frozen=True)
class Score:
    """Counts of what was found, what there is, and what is in both."""

    found: int
    gold: int
    both: int

    @property
    def precision(self) -> float:
        """Share of what was found that is right."""
        return self.both / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Share of what there is that was found."""
        return self.both / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Their harmonic mean."""
        return 2 * self.both / (self.found + self.gold) if self.found + self.gold else 0.0

    def to_dict(self) -> dict[str, float]:
        """For JSON."""
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1}


@dataclass(frozen=True)
class Agreement:
    """Boundaries, and phrases of several words."""

    boundaries: Score
    phrases: Score


def agreement(found: BoolArray, gold: BoolArray, inside: BoolArray) -> Agreement:
    """Compare two segmentations.

    Args:
        found: ``(T,)`` whether each word is joined to the one before it.
        gold: the same, as it should be.
        inside: ``(T,)`` whether the word has a word before it in its run.
    """
    cut, gold_cut = inside & ~found, inside & ~gold
    boundaries = Score(int(cut.sum()), int(gold_cut.sum()), int((cut & gold_cut).sum()))
    phrases, gold_phrases = (_long_phrases(joined & inside) for joined in (found, gold))
    both = len(np.intersect1d(phrases, gold_phrases, assume_unique=True))
    return Agreement(boundaries, Score(len(phrases), len(gold_phrases), both))


def _long_phrases(joined: BoolArray) -> IntArray:
    """Phrases of several words, one number for the first word and the length of each."""
    first = np.flatnonzero(~joined)
    lengths = np.diff(np.append(first, len(joined)))
    several = lengths > 1
    numbers: IntArray = first[several] * (len(joined) + 1) + lengths[several]
    return numbers
