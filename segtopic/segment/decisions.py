"""Boundaries of one text that a reader has decided: words to join and places to cut, by a click.

A boundary is named by the character after the word before it, as the ``end`` of a segment in
``segtopic segment``. Everything that is not decided stays as probable as it was, so the posterior
is exact under the decisions. Words joined that the model takes for impossible as one segment
become as probable as its words one by one, as in :mod:`segtopic.segment.wishes`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from segtopic.errors import ConfigError
from segtopic.lattice import constrain, log_partition
from segtopic.segment.segmenter import ScoredTexts


@dataclass(frozen=True)
class Decisions:
    """Decided boundaries of a text, by the ends of words in characters.

    Attributes:
        join: No segment ends there.
        cut: A segment ends there.
    """

    join: frozenset[int] = frozenset()
    cut: frozenset[int] = frozenset()

    def apply(self, scored: ScoredTexts) -> ScoredTexts:
        """One scored text, with every segment against the decisions at minus infinity."""
        if not self.join and not self.cut:
            return scored
        if both := self.join & self.cut:
            raise ConfigError(
                f"character {min(both)} is both to be joined and to be cut; take one of them away"
            )
        forbidden = _places(scored, "join", self.join)
        forced = _places(scored, "cut", self.cut)
        spans = scored.spans
        ending = forbidden[spans.last_word].nonzero().flatten()
        if len(ending):
            end = scored.encoded.ends[int(spans.last_word[ending[0]])]
            raise ConfigError(
                f"join: a span ends at character {end}, and segments never go beyond it; "
                "join words that stand side by side"
            )
        longest = scored.scores.shape[1]
        runs = list(_runs(forbidden))
        for begin, length in runs:
            if length > longest:
                start = scored.encoded.starts[begin]
                raise ConfigError(
                    f"join: {length} words from character {start} on would be one segment, but "
                    f"the model's have at most {longest}; join fewer"
                )
        scores = constrain(scored.scores, spans, forced=forced, forbidden=forbidden)
        impossible = (log_partition(scores, spans) == -torch.inf)[spans.span_of_word]
        if impossible.any():
            possible = scored.scores.clone()
            for begin, length in runs:
                if impossible[begin] and possible[begin, length - 1] == -torch.inf:
                    possible[begin, length - 1] = possible[begin : begin + length, 0].sum()
            scores = constrain(possible, spans, forced=forced, forbidden=forbidden)
        return replace(scored, scores=scores)


def _places(scored: ScoredTexts, name: str, ends: frozenset[int]) -> Tensor:
    """``(N,)`` true at the words that end there."""
    word_ends = {end: word for word, end in enumerate(scored.encoded.ends.tolist())}
    places = torch.zeros(scored.spans.n_words, dtype=torch.bool)
    for end in sorted(ends):
        if end not in word_ends:
            raise ConfigError(
                f"{name}: no known word ends at character {end}; give the 'end' of a word"
            )
        places[word_ends[end]] = True
    return places


def _runs(joined: Tensor) -> Iterator[tuple[int, int]]:
    """First word and length of each run of words that are joined to their next ones.

    >>> list(_runs(torch.tensor([False, True, True, False, True, False])))
    [(1, 3), (4, 2)]
    """
    begin = None
    for word, to_next in enumerate(joined.tolist()):
        if to_next and begin is None:
            begin = word
        elif not to_next and begin is not None:
            yield begin, word - begin + 1
            begin = None
