"""Marked phrases under decisions of a reader: what is read freely in, what keeps to them out.

A place to cut is inside no phrase. Words to join are in one phrase, maybe with others beside them:
the roles of all words are inferred again under that condition. Where the grammar takes it for
impossible, the words that are joined are a phrase for certain, with the phrases that they end and
begin.
"""

from collections.abc import Callable

import numpy as np

from segtopic.segment.decisions import DecidedWords
from segtopic.segment.segmented import FloatArray

# Odds of what is decided. They are finite, so that a reading is left where it is impossible.
NEVER, ALWAYS = 1e-12, 1e12


def read_decided(
    read: Callable[[FloatArray], FloatArray], odds: FloatArray, decided: DecidedWords
) -> FloatArray:
    """The probabilities ``(N, L)`` of phrases that keep to the decisions.

    Args:
        read: gives them freely, from ``(N,)`` odds that each word and the next are in one phrase.
        odds: where nothing is decided.
        decided: the decisions.
    """
    joined, cut = decided.join.numpy(), decided.cut.numpy()
    wanted = np.where(cut, NEVER, np.where(joined, ALWAYS, odds))
    found = _kept(read(wanted), decided)
    impossible = [run for run in decided.runs() if not _held(found, *run)]
    if not impossible:
        return found
    for begin, length in impossible:
        wanted[begin : begin + length - 1] = NEVER
    apart = read(wanted)
    wider = [_with_neighbours(apart, *run) for run in impossible]
    for begin, length in wider:
        wanted[max(begin - 1, 0) : begin] = NEVER
        wanted[begin + length - 1] = NEVER
    found = _kept(read(wanted), decided)
    for begin, length in wider:
        make_certain(found, begin, length)
    return found


def make_certain(found: FloatArray, first: int, length: int) -> None:
    """One phrase has probability 1, and what overlaps it 0."""
    longest = found.shape[1]
    for start in range(max(first - longest + 1, 0), first + length):
        found[start, max(first - start, 0) :] = 0
    found[first, length - 1] = 1


def make_impossible(found: FloatArray, first: int, last: int) -> None:
    """No phrase holds both words and what is between them."""
    for start in range(max(last - found.shape[1] + 1, 0), first + 1):
        found[start, last - start :] = 0


def _kept(found: FloatArray, decided: DecidedWords) -> FloatArray:
    """The same without phrases against the decisions."""
    found = found.copy()
    for word in np.flatnonzero(decided.cut).tolist():
        if word + 1 < len(found):
            make_impossible(found, word, word + 1)
    longest = found.shape[1]
    for word in np.flatnonzero(decided.join).tolist():
        found[word + 1] = 0
        for start in range(max(word - longest + 1, 0), word + 1):
            found[start, word - start] = 0
    return found


def _with_neighbours(apart: FloatArray, begin: int, length: int) -> tuple[int, int]:
    """Words that are joined, with the likely phrases that their first ends and their last begins.

    Args:
        apart: ``(N, L)`` phrases if no word were joined to the next.
        begin: the first word.
        length: how many.
    """
    longest, last = apart.shape[1], begin + length - 1
    ending = [apart[start, begin - start] for start in range(max(begin - longest + 1, 0), begin)]
    first = begin - len(ending) + int(np.argmax(ending)) if max(ending, default=0) > 0.5 else begin
    more = int(np.argmax(apart[last])) if apart[last].max() > 0.5 else 0
    wider = last + more - first + 1
    return (first, wider) if wider <= longest else (begin, length)


def _held(found: FloatArray, begin: int, length: int) -> bool:
    """Whether any phrase holds these words."""
    last = begin + length - 1
    starts = range(max(last - found.shape[1] + 1, 0), begin + 1)
    return any(found[start, last - start :].any() for start in starts)
