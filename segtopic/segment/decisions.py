"""Boundaries of one text that a reader has decided: words to join and places to cut, by a click.

A boundary is named by the character after the word before it, as the ``end`` of a segment in
``segtopic segment``. Everything that is not decided stays as probable as it was, so the posterior
is exact under the decisions. Words joined that the model takes for impossible as one segment
become as probable as its words one by one, as in :mod:`segtopic.segment.wishes`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor

from segtopic.corpus.documents import IntArray
from segtopic.errors import ConfigError
from segtopic.lattice import Spans, constrain, log_partition
from segtopic.segment.segmenter import ScoredTexts


class DecidedWords(NamedTuple):
    """The words at whose ends a boundary is decided, ``(N,)`` each."""

    join: Tensor
    cut: Tensor

    def runs(self) -> Iterator[tuple[int, int]]:
        """First word and length of each run of words that are joined to their next ones.

        >>> joined = torch.tensor([False, True, True, False, True, False])
        >>> list(DecidedWords(joined, ~joined).runs())
        [(1, 3), (4, 2)]
        """
        begin = None
        for word, to_next in enumerate(self.join.tolist()):
            if to_next and begin is None:
                begin = word
            elif not to_next and begin is not None:
                yield begin, word - begin + 1
                begin = None


@dataclass(frozen=True)
class Decisions:
    """Decided boundaries of a text, by the ends of words in characters.

    Attributes:
        join: No segment ends there.
        cut: A segment ends there.
    """

    join: frozenset[int] = frozenset()
    cut: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        """Whether anything is decided."""
        return bool(self.join or self.cut)

    def apply(self, scored: ScoredTexts) -> ScoredTexts:
        """One scored text, with every segment against the decisions at minus infinity."""
        if not self:
            return scored
        spans = scored.spans
        longest = scored.scores.shape[1]
        decided = self.among(scored.encoded.starts, scored.encoded.ends, spans, longest)
        forbidden, forced = decided
        scores = constrain(scored.scores, spans, forced=forced, forbidden=forbidden)
        impossible = (log_partition(scores, spans) == -torch.inf)[spans.span_of_word]
        if impossible.any():
            possible = scored.scores.clone()
            for begin, length in decided.runs():
                if impossible[begin] and possible[begin, length - 1] == -torch.inf:
                    possible[begin, length - 1] = possible[begin : begin + length, 0].sum()
            scores = constrain(possible, spans, forced=forced, forbidden=forbidden)
        return replace(scored, scores=scores)

    def among(
        self, starts: IntArray, ends: IntArray, spans: Spans, longest: int, what: str = "segment"
    ) -> DecidedWords:
        """Where the decisions are among the words of a text; refused where they cannot be kept.

        Args:
            starts: ``(N,)`` first character of each word.
            ends: ``(N,)`` one after its last character.
            spans: which words may stand in one segment.
            longest: the most words of a segment.
            what: the boundaries are of.
        """
        if both := self.join & self.cut:
            raise ConfigError(
                f"character {min(both)} is both to be joined and to be cut; take one of them away"
            )
        found = DecidedWords(_words(ends, "join", self.join), _words(ends, "cut", self.cut))
        ending = found.join[spans.last_word].nonzero().flatten()
        if len(ending):
            end = ends[int(spans.last_word[ending[0]])]
            raise ConfigError(
                f"join: a span ends at character {end}, and no {what} goes beyond it; "
                "join words that stand side by side"
            )
        for begin, length in found.runs():
            if length > longest:
                raise ConfigError(
                    f"join: {length} words from character {starts[begin]} on would be one {what}, "
                    f"but none has more than {longest}; join fewer"
                )
        return found


NOTHING_DECIDED = Decisions()


def _words(word_ends: IntArray, name: str, ends: frozenset[int]) -> Tensor:
    """``(N,)`` true at the words that end there."""
    by_end = {end: word for word, end in enumerate(word_ends.tolist())}
    places = torch.zeros(len(word_ends), dtype=torch.bool)
    for end in sorted(ends):
        if end not in by_end:
            raise ConfigError(
                f"{name}: no known word ends at character {end}; give the 'end' of a word"
            )
        places[by_end[end]] = True
    return places
