"""Gold phrases: a chunked corpus in, its text and the places where its chunks begin out.

The format is that of CoNLL-2000 (:mod:`segtopic.evaluate.chunked`). Only tokens that begin with a
letter are words; every other token ends a *run*. Inside a run, a word with a tag ``I-..`` is joined
to the word before it; a word outside every chunk stands alone.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segtopic.corpus.documents import IntArray
from segtopic.corpus.spans import EncodedTexts
from segtopic.evaluate.chunked import ChunkedText, read_chunked, tokens_at
from segtopic.evaluate.heldout import BoolArray


@dataclass(frozen=True, eq=False)
class GoldText:
    """Chunked sentences as texts, ``T`` words in all.

    Attributes:
        texts: Some sentences each, tokens separated by spaces.
        text_of_word: ``(T,)``.
        starts: ``(T,)`` first character of each word in its text.
        inside: ``(T,)`` whether the word has a word before it in its run: a place to judge.
        joined: ``(T,)`` whether the word belongs to the phrase of the word before it.
    """

    texts: list[str]
    text_of_word: IntArray
    starts: IntArray
    inside: BoolArray
    joined: BoolArray

    @classmethod
    def of(cls, chunked: ChunkedText) -> "GoldText":
        """The words of a chunked text."""
        rows: list[tuple[int, int, bool, bool]] = []
        in_run = False
        for token in chunked.tokens:
            in_run = in_run and not token.first
            if token.is_word:
                joined = in_run and token.chunk.startswith("I-")
                rows.append((token.text, token.start, in_run, joined))
            in_run = token.is_word
        return cls(chunked.texts, *(np.array(column) for column in zip(*rows, strict=True)))

    def joined_by(self, encoded: EncodedTexts, segment_ends: BoolArray) -> BoolArray:
        """``(T,)``: which words a segmentation of the encoded texts joins to the one before.

        Args:
            encoded: the texts' known words.
            segment_ends: ``(N,)`` whether a segment ends after each of them.
        """
        document = np.repeat(
            np.arange(encoded.documents.n_documents), encoded.documents.words_per_document
        )
        known = tokens_at(document, encoded.starts, self.text_of_word, self.starts)
        joined = np.zeros(len(self.starts), dtype=bool)
        second = np.flatnonzero(~segment_ends[:-1]) + 1  # in one segment with the known word before
        neighbours = known[second] == known[second - 1] + 1
        joined[known[second[neighbours]]] = True
        return joined & self.inside


def read_gold(path: Path, part: str = "test") -> GoldText:
    """A file in the format of CoNLL-2000, or its zip archive, of which ``part`` is taken."""
    return GoldText.of(read_chunked(path, part))
