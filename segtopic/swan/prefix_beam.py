"""Beam search for connectionist temporal classification: prefixes of outputs, not paths.

Many paths say the same outputs, with blanks and repetitions at other places; a prefix adds them all
up (Graves, 2012; Hannun et al., 2014). It has two probabilities, because a symbol like the last one
is a new output after a blank, and none after the symbol itself. If the beam is never full, the
probabilities are exact.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segtopic.swan.decode import Hypothesis

Logs = NDArray[np.float64]


class _Prefixes(NamedTuple):
    """``K`` different prefixes, best first."""

    outputs: Sequence[tuple[int, ...]]
    after_blank: Logs  # (K,) log probabilities of the paths that end in a blank
    after_symbol: Logs  # (K,) and of those that end in the last output

    @property
    def totals(self) -> Logs:
        return np.logaddexp(self.after_blank, self.after_symbol)


def prefix_search(distributions: Logs, blank: int, beam: int, n_best: int = 1) -> list[Hypothesis]:
    """The best outputs of one sequence, best first.

    Args:
        distributions: ``(T', V + 1)`` log probabilities of the symbols and of the blank.
        blank: its number, the last one.
        beam: prefixes that go on from one input to the next.
        n_best: at most the beam.
    """
    if beam < 1:
        raise ValueError(f"the beam must be at least 1, got {beam}")
    found = _Prefixes([()], np.zeros(1), np.full(1, -np.inf))
    for row in np.asarray(distributions, dtype=np.float64):
        found = _advance(found, row, blank, beam)
    listed = zip(found.outputs, found.totals.tolist(), strict=True)
    return [Hypothesis(outputs, total) for outputs, total in listed if total > -np.inf][:n_best]


def _advance(prefixes: _Prefixes, row: Logs, blank: int, beam: int) -> _Prefixes:
    """One more input: a prefix stays as it is, or is followed by a symbol."""
    outputs, totals = prefixes.outputs, prefixes.totals
    # The empty prefix has no last symbol; the number is of no use where nothing ends in one.
    last = np.array([each[-1] if each else 0 for each in outputs])
    places = np.arange(len(outputs))
    blank_again, symbol_again = totals + row[blank], prefixes.after_symbol + row[last]
    longer = totals[:, None] + row[None, :blank]
    has_last = np.array([bool(each) for each in outputs])
    longer[places[has_last], last[has_last]] = (prefixes.after_blank + row[last])[has_last]
    # A prefix that is there already is also the longer one of another.
    place_of = {each: place for place, each in enumerate(outputs)}
    for place, each in enumerate(outputs):
        shorter = place_of.get(each[:-1]) if each else None
        if shorter is not None:
            ways = symbol_again[place], longer[shorter, each[-1]]
            symbol_again[place], longer[shorter, each[-1]] = np.logaddexp(*ways), -np.inf
    everything = np.concatenate([np.logaddexp(blank_again, symbol_again), longer.ravel()])
    kept = np.argsort(-everything, kind="stable")[:beam]
    kept = kept[everything[kept] > -np.inf]
    stays, added = kept < len(outputs), kept - len(outputs)
    grown = [
        outputs[place] if stay else (*outputs[more // blank], int(more % blank))
        for place, stay, more in zip(kept, stays, added, strict=True)
    ]
    stayed = np.where(stays, kept, 0)
    return _Prefixes(
        grown,
        np.where(stays, blank_again[stayed], -np.inf),
        np.where(stays, symbol_again[stayed], everything[kept]),
    )
