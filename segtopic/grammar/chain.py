"""A hidden Markov chain over the words of clauses: pure recursions, nothing learned here.

Each word has a hidden role, and the roles of a clause are a path: it begins in a role, moves from
role to role, and may stop in some. A word shows its sign and how it is written (its case), given
its role. All recursions go over clauses of the same length at once, one word after the other, with
every message scaled to sum to one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from segtopic.corpus.documents import IntArray
from segtopic.grammar.clauses import Case

FloatArray = npt.NDArray[np.float64]
TINY = 1e-300
BATCH_CLAUSES = 4096


@dataclass(frozen=True, eq=False, repr=False)
class Chain:
    """Probabilities of ``R`` roles and ``V`` signs.

    Attributes:
        begin: ``(R,)`` of the first word's role.
        move: ``(R, R)`` to the next word's role; with ``stop`` a row sums to one.
        stop: ``(R,)`` that the clause ends here.
        signs: ``(R, V)`` of a word's sign.
        cases: ``(R, 4)`` of how it is written; 1 where that is unknown.
    """

    begin: FloatArray
    move: FloatArray
    stop: FloatArray
    signs: FloatArray
    cases: FloatArray

    def shown(self, signs: IntArray, cases: IntArray) -> FloatArray:
        """``(..., R)``: how probable each role makes what is seen of a word."""
        seen: FloatArray = self.signs.T[signs] * self.cases.T[cases]
        return seen

    def messages(self, shown: FloatArray, stays: FloatArray | None = None) -> "Messages":
        """Forward and backward messages of ``n`` clauses of ``T`` words.

        Args:
            shown: ``(n, T, R)``.
            stays: ``(n, T, R)`` factors of the moves that leave a word, by its role.
        """
        n, length, _ = shown.shape
        forward, backward = np.empty_like(shown), np.empty_like(shown)
        scales = np.empty((n, length))
        for place in range(length):
            if place == 0:
                message = self.begin * shown[:, 0]
            else:
                leaving = _leaving(forward[:, place - 1], stays, place - 1)
                message = (leaving @ self.move) * shown[:, place]
            scales[:, place] = message.sum(1) + TINY
            forward[:, place] = message / scales[:, place, None]
        total = forward[:, -1] @ self.stop + TINY
        backward[:, -1] = self.stop / total[:, None]
        for place in range(length - 2, -1, -1):
            message = (backward[:, place + 1] * shown[:, place + 1]) @ self.move.T
            backward[:, place] = _leaving(message / scales[:, place + 1, None], stays, place)
        return Messages(forward, backward, scales, total)


def _leaving(message: FloatArray, stays: FloatArray | None, place: int) -> FloatArray:
    """The message of a word, weighed by what leaving it costs."""
    return message if stays is None else message * stays[:, place]


class Messages(NamedTuple):
    """What the recursions leave; ``forward * backward`` are the posteriors of the roles."""

    forward: FloatArray
    backward: FloatArray
    scales: FloatArray
    total: FloatArray

    @property
    def log_likelihood(self) -> float:
        """Of all clauses."""
        return float(np.log(self.scales).sum() + np.log(self.total).sum())


def by_length(first: IntArray, lengths: IntArray) -> Iterator[IntArray]:
    """Clauses of the same length, some at a time: ``(n, T)`` the places of their words."""
    for length in np.unique(lengths):
        begins = first[lengths == length]
        for start in range(0, len(begins), BATCH_CLAUSES):
            yield begins[start : start + BATCH_CLAUSES, None] + np.arange(length)


def phrase_posteriors(
    chain: Chain,
    shown: FloatArray,
    inner: IntArray,
    last: IntArray,
    max_length: int,
    stays: FloatArray | None = None,
) -> FloatArray:
    """``(n, T, L)``: the probability that ``l`` words from word ``t`` on are a phrase.

    A phrase is a run of words in inner roles, after which a word in a last role comes; or that one
    alone. An inner role is left only for another inner or a last one.

    Args:
        chain: of the roles.
        shown: ``(n, T, R)``.
        inner: the inner roles.
        last: the last roles.
        max_length: ``L``.
        stays: see :meth:`Chain.messages`.
    """
    n, length, n_roles = shown.shape
    forward, backward, scales, _ = chain.messages(shown, stays)
    is_inner, is_last = np.zeros(n_roles), np.zeros(n_roles)
    is_inner[inner], is_last[last] = 1, 1
    scaled = shown / scales[:, :, None]
    found = np.zeros((n, length, max_length))
    for begin in range(length):
        # No phrase goes on from the word before: that one is in no inner role.
        message = chain.begin * scaled[:, 0]
        if begin:
            leaving = _leaving(forward[:, begin - 1] * (1 - is_inner), stays, begin - 1)
            message = (leaving @ chain.move) * scaled[:, begin]
        for place in range(begin, min(begin + max_length, length)):
            if place > begin:
                leaving = _leaving(message * is_inner, stays, place - 1)
                message = (leaving @ chain.move) * scaled[:, place]
            found[:, begin, place - begin] = (message * is_last * backward[:, place]).sum(1)
    return found


def as_probabilities(cases: FloatArray) -> FloatArray:
    """Counts of cases by role to probabilities; where the case is unknown, it tells nothing."""
    known = cases[:, : Case.UNKNOWN] + TINY
    unknown = np.ones((len(cases), 1))
    return np.concatenate([known / known.sum(1, keepdims=True), unknown], axis=1)
