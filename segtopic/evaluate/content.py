"""Content phrases: what a reader would mark, from the noun chunks of a chunked corpus.

A content phrase is a noun chunk without the determiners, pronouns, possessives and numerals that
it begins with, if two or more words (tokens that begin with a letter) are left. It is compared
with found phrases by tokens, so that it does not matter who takes a full stop for part of a word.

>>> tags = ["The DT B-NP", "two CD I-NP", "new JJ I-NP", "banks NNS I-NP", "grew VBD B-VP"]
>>> content = ContentText.of(ChunkedText.parse(tags, "here"))
>>> content.texts[0][8:17], content.phrases.tolist()
('new banks', [[2, 3]])
>>> found = Places(np.array([0, 0]), np.array([0, 8]), np.array([17, 17]))
>>> agreement = content.agreement(found)
>>> agreement.exact.precision, agreement.exact.recall, agreement.crossed
(0.5, 1.0, 0.0)
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from segtopic.corpus.documents import IntArray
from segtopic.errors import CorpusError
from segtopic.evaluate.boundaries import Score
from segtopic.evaluate.chunked import ChunkedText, ChunkedToken, tokens_at

LEADING = frozenset(["DT", "PDT", "WDT", "EX", "PRP", "PRP$", "WP", "WP$", "POS", "CD"])
"""Parts of speech that are taken off the beginning of a chunk."""


class Places(NamedTuple):
    """Where phrases stand, sorted: text, first character, one after the last character."""

    texts: IntArray
    starts: IntArray
    ends: IntArray

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, int]]) -> "Places":
        """From one row a phrase."""
        return cls(*np.array(sorted(rows), dtype=np.int64).reshape(-1, 3).T)


@dataclass(frozen=True)
class ContentAgreement:
    """How found phrases agree with content phrases.

    Attributes:
        exact: Phrases with both ends right.
        inside: Share of the found phrases that lie inside a content phrase, or are one.
        reached: Share of the content phrases that hold a found phrase.
        crossed: Share of the content phrases that a found phrase cuts: it holds a part of the
            content phrase and something beside it.
    """

    exact: Score
    inside: float
    reached: float
    crossed: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        shares = {"inside": self.inside, "reached": self.reached, "crossed": self.crossed}
        return {**self.exact.to_dict(), "found": self.exact.found, **shares}


@dataclass(frozen=True, eq=False)
class ContentText:
    """Texts of ``T`` tokens with ``P`` content phrases.

    Attributes:
        texts: Some sentences each, tokens separated by spaces.
        text_of_token: ``(T,)``.
        starts: ``(T,)`` first character of each token in its text.
        phrases: ``(P, 2)`` first and last token of each phrase, in the order of the texts.
    """

    texts: list[str]
    text_of_token: IntArray
    starts: IntArray
    phrases: IntArray

    @classmethod
    def of(cls, chunked: ChunkedText) -> "ContentText":
        """The content phrases of a text whose tokens have parts of speech."""
        if chunked.n_columns < 3:
            raise CorpusError(
                f"{chunked.label}: has lines without a part of speech; content phrases need "
                "'word part-of-speech chunk-tag', as CoNLL-2000 has them"
            )
        phrases = [
            place
            for first, last in _noun_chunks(chunked.tokens)
            if (place := _content(chunked.tokens, first, last)) is not None
        ]
        return cls(
            chunked.texts,
            chunked.text_of_token,
            chunked.starts,
            np.array(phrases, dtype=np.int64).reshape(-1, 2),
        )

    def agreement(self, places: Places) -> ContentAgreement:
        """Judge phrases, none of which overlaps another; those inside one token do not count."""
        first, last = (
            tokens_at(places.texts, where, self.text_of_token, self.starts)
            for where in (places.starts, places.ends - 1)
        )
        several = first < last
        first, last = first[several], last[several]
        gold_first, gold_last = self.phrases.T
        # The first content phrase that does not end before the found one begins, and the first
        # that begins after it: all between them touch it.
        begin = np.searchsorted(gold_last, first, side="left")
        after = np.searchsorted(gold_first, last, side="right")
        touches = np.flatnonzero(begin < after)
        covered = begin[touches]
        starts_in = gold_first[covered] <= first[touches]
        inside = np.zeros(len(first), dtype=bool)
        inside[touches] = starts_in & (last[touches] <= gold_last[covered])
        exact = touches[
            (gold_first[covered] == first[touches]) & (gold_last[covered] == last[touches])
        ]
        crossed = np.zeros(len(self.phrases), dtype=bool)
        outside = ~inside[touches]
        crossed[covered[outside & (gold_first[covered] < first[touches])]] = True
        final = after[touches] - 1
        crossed[final[outside & (last[touches] < gold_last[final])]] = True
        reached = np.unique(begin[inside])
        return ContentAgreement(
            Score(len(first), len(self.phrases), len(exact)),
            float(inside.mean()) if len(first) else 0.0,
            len(reached) / max(len(self.phrases), 1),
            float(crossed.mean()) if len(crossed) else 0.0,
        )


def _noun_chunks(tokens: list[ChunkedToken]) -> Iterator[tuple[int, int]]:
    """First token of each noun chunk, and one after its last."""
    begins = [
        number
        for number, token in enumerate(tokens)
        if token.first or not token.chunk.startswith("I-")
    ]
    for first, last in pairwise([*begins, len(tokens)]):
        if tokens[first].chunk.endswith("-NP"):
            yield first, last


def _content(tokens: list[ChunkedToken], first: int, last: int) -> tuple[int, int] | None:
    """The part of a chunk that is a content phrase, if one is."""
    while first < last and (tokens[first].part_of_speech in LEADING or not tokens[first].is_word):
        first += 1
    n_words = sum(token.is_word for token in tokens[first:last])
    return (first, last - 1) if n_words > 1 else None
