"""Gold phrases: a chunked corpus in, its text and the places where its chunks begin out.

The format is that of CoNLL-2000: a line for each token with its chunk tag in the last column
(``B-NP``, ``I-NP``, ``O``), and an empty line after each sentence. Only tokens that begin with a
letter are words; every other token ends a *run*. Inside a run, a word with a tag ``I-..`` is joined
to the word before it; a word outside every chunk stands alone.
"""

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segtopic.corpus.documents import IntArray
from segtopic.corpus.spans import EncodedTexts
from segtopic.errors import CorpusError
from segtopic.evaluate.heldout import BoolArray

# The sentences have no documents; topics are inferred from so many consecutive ones.
SENTENCES_PER_TEXT = 50
_BREAK = "\n\n"  # ends a span


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
    def parse(cls, lines: list[str], label: str) -> "GoldText":
        """Read the lines of a file; ``label`` names it in errors."""
        texts: list[str] = []
        rows: list[tuple[int, int, bool, bool]] = []
        pieces: list[str] = []
        place, sentences, in_run = 0, 0, False
        for number, line in enumerate([*lines, ""], 1):
            columns = line.split()
            if not columns:
                sentences += bool(pieces) and pieces[-1] != _BREAK
                pieces.append(_BREAK)
                place, in_run = place + len(_BREAK), False
                if sentences == SENTENCES_PER_TEXT or (sentences and number > len(lines)):
                    texts.append("".join(pieces))
                    pieces, place, sentences = [], 0, 0
                continue
            token, tag = columns[0], columns[-1]
            if len(columns) < 2 or not (tag == "O" or tag[:2] in ("B-", "I-")):
                raise CorpusError(
                    f"{label}: line {number} is not 'word .. tag' with a tag such as B-NP, I-NP "
                    "or O; give a file in the format of CoNLL-2000"
                )
            if token[0].isalpha():
                rows.append((len(texts), place, in_run, in_run and tag.startswith("I-")))
                in_run = True
            else:
                in_run = False
            pieces.append(f"{token} ")
            place += len(token) + 1
        if not rows:
            raise CorpusError(f"{label}: holds no words; give a file in the format of CoNLL-2000")
        columns_of_rows = [np.array(column) for column in zip(*rows, strict=True)]
        return cls(texts, *columns_of_rows)

    def joined_by(self, encoded: EncodedTexts, segment_ends: BoolArray) -> BoolArray:
        """``(T,)``: which words a segmentation of the encoded texts joins to the one before.

        Args:
            encoded: the texts' known words.
            segment_ends: ``(N,)`` whether a segment ends after each of them.
        """
        document = np.repeat(
            np.arange(encoded.documents.n_documents), encoded.documents.words_per_document
        )
        longest = max(map(len, self.texts)) + 1
        # The gold word that holds each known word: the last one that begins before or with it.
        gold = self.text_of_word.astype(np.int64) * longest + self.starts
        known = np.searchsorted(gold, document * longest + encoded.starts, side="right") - 1
        joined = np.zeros(len(gold), dtype=bool)
        second = np.flatnonzero(~segment_ends[:-1]) + 1  # in one segment with the known word before
        neighbours = known[second] == known[second - 1] + 1
        joined[known[second[neighbours]]] = True
        return joined & self.inside


def read_gold(path: Path, part: str = "test") -> GoldText:
    """A file in the format of CoNLL-2000, or its zip archive, of which ``part`` is taken."""
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                member = f"conll2000/{part}.txt"
                if member not in archive.namelist():
                    raise CorpusError(f"{path}: holds no {member}; give the CoNLL-2000 archive")
                content = archive.read(member)
        else:
            content = path.read_bytes()
        lines = content.decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError, zipfile.BadZipFile) as error:
        reason = getattr(error, "strerror", None) or error
        raise CorpusError(f"{path}: cannot be read ({reason}); give CoNLL-2000's file") from None
    return GoldText.parse(lines, str(path))
