"""A chunked corpus: a file in the format of CoNLL-2000 in, its texts and tagged tokens out.

A line for each token, its part of speech in the second column and its chunk tag in the last one
(``B-NP``, ``I-NP``, ``O``), and an empty line after each sentence.

>>> lines = ["The DT B-NP", "pound NN I-NP", "fell VBD B-VP", ". . O"]
>>> chunked = ChunkedText.parse(lines, "here")
>>> chunked.texts, chunked.starts.tolist()
(['The pound fell . \\n\\n'], [0, 4, 10, 15])
"""

import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from segtopic.corpus.documents import IntArray
from segtopic.errors import CorpusError

# The sentences have no documents; topics are inferred from so many consecutive ones.
SENTENCES_PER_TEXT = 50
_BREAK = "\n\n"  # ends a span


class ChunkedToken(NamedTuple):
    """A token and its place."""

    form: str
    part_of_speech: str
    """The second column; the chunk tag itself where there are only two columns."""
    chunk: str
    text: int
    start: int
    first: bool
    """Whether it begins a sentence."""

    @property
    def is_word(self) -> bool:
        """Whether it begins with a letter."""
        return self.form[0].isalpha()


@dataclass(frozen=True, eq=False)
class ChunkedText:
    """Chunked sentences as texts.

    Attributes:
        texts: Some sentences each, tokens separated by spaces.
        tokens: In the order of the texts.
        n_columns: The fewest in a line.
        label: Names the source in errors.
    """

    texts: list[str]
    tokens: list[ChunkedToken]
    n_columns: int
    label: str

    @cached_property
    def starts(self) -> IntArray:
        """First character of each token in its text."""
        return np.array([token.start for token in self.tokens], dtype=np.int64)

    @cached_property
    def text_of_token(self) -> IntArray:
        """The text that each token stands in."""
        return np.array([token.text for token in self.tokens], dtype=np.int64)

    @classmethod
    def parse(cls, lines: list[str], label: str) -> "ChunkedText":
        """Read the lines of a file; ``label`` names it in errors."""
        texts: list[str] = []
        tokens: list[ChunkedToken] = []
        pieces: list[str] = []
        place, sentences, first, n_columns = 0, 0, True, 3
        for number, line in enumerate([*lines, ""], 1):
            columns = line.split()
            if not columns:
                sentences += bool(pieces) and pieces[-1] != _BREAK
                pieces.append(_BREAK)
                place, first = place + len(_BREAK), True
                if sentences == SENTENCES_PER_TEXT or (sentences and number > len(lines)):
                    texts.append("".join(pieces))
                    pieces, place, sentences = [], 0, 0
                continue
            form, tag = columns[0], columns[-1]
            if len(columns) < 2 or not (tag == "O" or tag[:2] in ("B-", "I-")):
                raise CorpusError(
                    f"{label}: line {number} is not 'word .. tag' with a tag such as B-NP, I-NP "
                    "or O; give a file in the format of CoNLL-2000"
                )
            tokens.append(ChunkedToken(form, columns[1], tag, len(texts), place, first))
            n_columns, first = min(n_columns, len(columns)), False
            pieces.append(f"{form} ")
            place += len(form) + 1
        if not any(token.is_word for token in tokens):
            raise CorpusError(f"{label}: holds no words; give a file in the format of CoNLL-2000")
        return cls(texts, tokens, n_columns, label)


def read_chunked(path: Path, part: str = "test") -> ChunkedText:
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
    return ChunkedText.parse(lines, str(path))


def tokens_at(
    texts: IntArray, starts: IntArray, text_of_token: IntArray, start_of_token: IntArray
) -> IntArray:
    """The token that holds each place: the last one that begins before or with it.

    Args:
        texts: the text of each place.
        starts: its character there.
        text_of_token: of the tokens, in the order of the texts.
        start_of_token: their first characters.
    """
    longest = int(max(starts.max(initial=0), start_of_token.max(initial=0))) + 1
    keys = text_of_token.astype(np.int64) * longest + start_of_token
    places = texts.astype(np.int64) * longest + starts
    found: IntArray = np.searchsorted(keys, places, side="right") - 1
    return found
