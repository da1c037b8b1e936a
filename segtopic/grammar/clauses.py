"""Text in, clauses out: all words between marks, with what the vocabulary does not keep of them.

The model sees words that are in its vocabulary, in lower case. A reader also sees rare words,
capitals, numbers and signs, and knows that the dot of "Mr. Smith" ends nothing. A clause is a run
of words between marks; the dot of an abbreviation is a part of its word, and so is the dot of an
initial. Signs such as ``$``, ``%`` and ``&`` are words, too.

>>> reader = ClauseReader(Tokeniser(), frozenset({"mr"}))
>>> clauses = reader.read(["So Mr. J. Doe paid $50, twice."])
>>> [clauses.forms[begin:end] for begin, end in clauses.bounds]
[['so', 'mr', 'j', 'doe', 'paid', '$', '50'], ['twice']]
>>> [Case(case).name for case in clauses.cases[:5]]
['UNKNOWN', 'CAPITAL', 'CAPITAL', 'CAPITAL', 'LOWER']
>>> int(clauses.starts[1]), int(clauses.ends[1])
(3, 6)
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np

from segtopic.corpus.documents import IntArray
from segtopic.corpus.tokenise import MARK, Tokeniser
from segtopic.corpus.words import CLITICS

APOSTROPHES = "'\u2019\u02bc"
SENTENCE_ENDS = (
    '.!?:;`"\u201c\u201d\u201e\u00ab\u00bb'
    """After one of these, a capital tells nothing."""
)
LEAST_SHOUTED = 3  # words of a clause in capitals before they count as shouted
LONGEST_CLAUSE = 200  # words; what has no marks is no prose, and is cut


class Case(IntEnum):
    """How a word is written."""

    LOWER = 0
    CAPITAL = 1
    UPPER = 2
    UNKNOWN = 3
    """At the beginning of a sentence, in a shouted clause, or without letters."""


@dataclass(frozen=True, eq=False, repr=False)
class Clauses:
    """The ``N`` words of some texts.

    Attributes:
        forms: In lower case.
        texts: ``(N,)`` the text that each word stands in.
        starts: ``(N,)`` its first character there.
        ends: ``(N,)`` one after its last character.
        cases: ``(N,)`` a :class:`Case` each.
        lengths: ``(C,)`` words of the clauses.
    """

    forms: list[str]
    texts: IntArray
    starts: IntArray
    ends: IntArray
    cases: IntArray
    lengths: IntArray

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def first(self) -> IntArray:
        """``(C,)`` first word of each clause."""
        return np.cumsum(self.lengths) - self.lengths

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """First word of each clause, and one after its last."""
        return list(zip(self.first.tolist(), (self.first + self.lengths).tolist(), strict=True))

    def followed(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """``(N,)`` whether another word of the clause follows."""
        inside = np.ones(len(self), dtype=bool)
        inside[self.first + self.lengths - 1] = False
        return inside


class ClauseReader:
    """Reads texts.

    Args:
        tokeniser: by the rules of the corpus.
        abbreviations: words whose dot ends no clause.
    """

    def __init__(self, tokeniser: Tokeniser, abbreviations: frozenset[str] = frozenset()) -> None:
        self._tokeniser = tokeniser
        self._abbreviations = abbreviations

    def read(self, texts: Sequence[str]) -> Clauses:
        """The clauses of the texts, in order."""
        batch = self._tokeniser.batch(texts)
        forms = [batch.forms[number] for number in batch.form_ids.tolist()]
        starts, lengths = batch.starts.tolist(), batch.lengths.tolist()
        words = _Words()
        clauses: list[int] = []
        begin = 0
        for number, (text, n_tokens) in enumerate(
            zip(texts, batch.tokens_per_document.tolist(), strict=True)
        ):
            mine = slice(begin, begin + n_tokens)
            tokens = list(zip(forms[mine], starts[mine], lengths[mine], strict=True))
            clauses += self._read(text, number, tokens, words)
            begin += n_tokens
        return words.clauses(clauses)

    def _read(
        self, text: str, number: int, tokens: list[tuple[str, int, int]], words: "_Words"
    ) -> Iterator[int]:
        """Write down the words of one text; lengths of its clauses."""
        length, last_end, opens = 0, -1, True
        for place, (form, start, size) in enumerate(tokens):
            end = start + size
            if form == MARK:
                mark = text[start:end]
                if length and mark == "." and start == last_end and self._is_abbreviated(words):
                    words.ends[-1] = last_end = end
                    continue
                if mark in APOSTROPHES and _is_clitic(tokens, place, end):
                    continue  # the clitic, which stands apart from its word, takes it along
                if not _is_word(mark, length, words, text, end):
                    if length:
                        yield _finished(words, length)
                    length, opens = 0, opens or mark in SENTENCE_ENDS or mark.isspace()
                    continue
                form = mark
            elif "'" + form in CLITICS and start and text[start - 1] in APOSTROPHES:
                form = "'" + form
            words.add(form.lower(), number, start, end, _case(text[start:end], opens))
            length, last_end, opens = length + 1, end, False
            if length == LONGEST_CLAUSE:
                yield _finished(words, length)
                length = 0
        if length:
            yield _finished(words, length)

    def _is_abbreviated(self, words: "_Words") -> bool:
        form, case = words.forms[-1], words.cases[-1]
        initial = len(form) == 1 and form != "i" and case in (Case.CAPITAL, Case.UNKNOWN)
        return initial or form in self._abbreviations


class _Words:
    """Words while they are read."""

    def __init__(self) -> None:
        self.forms: list[str] = []
        self.texts: list[int] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.cases: list[int] = []

    def add(self, form: str, text: int, start: int, end: int, case: int) -> None:
        self.forms.append(form)
        self.texts.append(text)
        self.starts.append(start)
        self.ends.append(end)
        self.cases.append(case)

    def clauses(self, lengths: list[int]) -> Clauses:
        columns = (self.texts, self.starts, self.ends, self.cases, lengths)
        return Clauses(self.forms, *(np.array(column, dtype=np.int64) for column in columns))


def _is_clitic(tokens: list[tuple[str, int, int]], place: int, end: int) -> bool:
    """Whether the token after the mark is a clitic that belongs to it."""
    if place + 1 == len(tokens):
        return False
    form, start, _ = tokens[place + 1]
    return start == end and "'" + form in CLITICS


def _is_word(mark: str, length: int, words: _Words, text: str, end: int) -> bool:
    """Whether a mark counts as a word: signs, and the apostrophe of "workers' rights"."""
    if mark in APOSTROPHES:
        return length > 0 and words.forms[-1].endswith("s") and text[end : end + 1] == " "
    return mark in ("%", "&") or (len(mark) == 1 and unicodedata.category(mark) == "Sc")


def _case(word: str, opens: bool) -> int:
    if opens or not word[0].isalpha():
        return Case.UNKNOWN
    if not word[0].isupper():
        return Case.LOWER
    return Case.UPPER if len(word) > 1 and word.isupper() else Case.CAPITAL


def _finished(words: _Words, length: int) -> int:
    """The length of a clause; if it is all in capitals, these tell nothing."""
    cases = words.cases[-length:]
    shouted = sum(case == Case.UPPER for case in cases)
    if shouted >= LEAST_SHOUTED and not any(case in (Case.LOWER, Case.CAPITAL) for case in cases):
        words.cases[-length:] = [Case.UNKNOWN] * length
    return length
