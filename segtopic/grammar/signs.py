"""What the grammar counts: a frequent word as itself, every other word by how it looks.

A sign is a word that is frequent in the training text, or what can be seen of any other word: that
it is a name (a capital inside a sentence), holds digits or a hyphen, and how it ends. The endings
are those that many words of the training text share, so nothing of a language is written here.

Function words are a list of stop words. Among them *openers* are found by one property: nearly
always a word follows that is no function word ("the", "an", "their"; not "of", after which "the"
follows so often). *Counted* words are those that follow numbers ("million", "percent").
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from segtopic.corpus.documents import IntArray
from segtopic.corpus.words import CLITICS
from segtopic.grammar.clauses import Case, Clauses

BoolArray = npt.NDArray[np.bool_]

NUMBER, NAME, MIXED, FUNCTION = "<number>", "<name>", "<mixed>", "<function>"
PLAIN, HYPHENED = "<>", "<->"  # and with an ending, "<ing>" and "<-ing>"
LEAST_COUNT = 5  # of a word that is a sign of its own
LONGEST_ENDING = 3
ENDING_SHARE = 0.01  # of the frequent words that share an ending
OPENER_SHARE, OPENER_FOLLOWERS = 0.84, 30  # before content words, and before how many different
COUNTED_SHARE, COUNTED_LEAST = 0.6, 20  # of a word's occurrences after a number, and how many
CLITIC_FORMS = frozenset((*CLITICS, "n't"))
"""Function words in every list, also where a treebank writes them apart."""


@dataclass(frozen=True, eq=False, repr=False)
class Signs:
    """The signs of a training text, numbered.

    Attributes:
        names: Of the signs.
        endings: By which words that are no signs are known.
        function_words: That begin and end no phrase.
        openers: Function words that are nearly always followed by a word that is none.
        counted: Words that follow numbers.
    """

    names: tuple[str, ...]
    endings: frozenset[str]
    function_words: frozenset[str]
    openers: frozenset[str]
    counted: frozenset[str]

    @classmethod
    def learn(cls, clauses: Clauses, function_words: frozenset[str]) -> "Signs":
        """The signs of a text."""
        counts = Counter(clauses.forms)
        frequent = [
            word for word, times in counts.items() if times >= LEAST_COUNT and _is_text(word)
        ]
        endings = _shared_endings(frequent, function_words)
        looks = [NUMBER, NAME, MIXED, FUNCTION, PLAIN, HYPHENED]
        looks += [f"<{hyphen}{ending}>" for ending in sorted(endings) for hyphen in ("", "-")]
        kept = function_words | CLITIC_FORMS  # however rare, as signs that are no words
        rare = [word for word in counts if word in kept or not (_is_text(word) or _is_number(word))]
        names = (*looks, *dict.fromkeys([*frequent, *rare, *sorted(CLITIC_FORMS)]))
        first = cls(names, endings, function_words, frozenset(), frozenset())
        counted = first._often_counted(clauses)
        second = cls(names, endings, function_words, frozenset(), counted)
        return cls(names, endings, function_words, second._often_opening(clauses), counted)

    def __len__(self) -> int:
        return len(self.names)

    def numbers(self, clauses: Clauses) -> IntArray:
        """``(N,)`` the sign of each word."""
        known: dict[tuple[str, bool], int] = {}
        found = np.empty(len(clauses), dtype=np.int64)
        capital = np.isin(clauses.cases, (Case.CAPITAL, Case.UPPER)).tolist()
        for place, key in enumerate(zip(clauses.forms, capital, strict=True)):
            number = known.get(key)
            if number is None:
                number = known[key] = self._places[self._sign(*key)]
            found[place] = number
        return found

    def _sign(self, word: str, capital: bool) -> str:
        if _is_number(word):
            return NUMBER
        if word in self.function_words or word in CLITIC_FORMS:
            if capital and len(word) > 1 and word not in self.openers:
                return NAME  # "Inc.", "Bill", "Third World"
            return word if word in self._places else FUNCTION
        if word in self._places:
            return word
        if not _is_text(word):
            return FUNCTION
        return NAME if capital else self._look(word)

    def _look(self, word: str) -> str:
        if any(character.isdigit() for character in word):
            return MIXED
        hyphen = "-" if "-" in word else ""
        for size in range(LONGEST_ENDING, 0, -1):
            if len(word) > size + 2 and word[-size:] in self.endings:
                return f"<{hyphen}{word[-size:]}>"
        return f"<{hyphen}>"

    @cached_property
    def is_content(self) -> BoolArray:
        """``(V,)`` signs of words that may stand in a phrase."""
        return np.array([self._may_stand(name) for name in self.names], dtype=bool)

    @cached_property
    def is_opener(self) -> BoolArray:
        """``(V,)``"""
        return np.array([name in self.openers for name in self.names], dtype=bool)

    @cached_property
    def is_number(self) -> BoolArray:
        """``(V,)`` numbers and what is counted by them."""
        return np.array([name == NUMBER or name in self.counted for name in self.names], dtype=bool)

    @cached_property
    def joins(self) -> BoolArray:
        """``(V,)`` signs that stand inside a phrase, but at neither end."""
        return np.array([name == "&" for name in self.names], dtype=bool)

    def _may_stand(self, name: str) -> bool:
        if name.startswith("<") and name.endswith(">"):
            return name not in (NUMBER, FUNCTION)
        function = name in self.function_words or name in CLITIC_FORMS
        return _is_text(name) and not function and name not in self.counted

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def _often_counted(self, clauses: Clauses) -> frozenset[str]:
        signs, followed = self.numbers(clauses), clauses.followed()
        after = signs[1:][followed[:-1] & (signs[:-1] == self._places[NUMBER])]
        times = np.bincount(signs, minlength=len(self))
        share = np.bincount(after, minlength=len(self)) / times.clip(min=1)
        chosen = self.is_content & (share >= COUNTED_SHARE) & (times >= COUNTED_LEAST)
        return frozenset(n for n in self._named(chosen) if not n.startswith("<"))

    def _often_opening(self, clauses: Clauses) -> frozenset[str]:
        signs, followed = self.numbers(clauses), clauses.followed()
        before, after = signs[:-1][followed[:-1]], signs[1:][followed[:-1]]
        opens = self.is_content[after]
        times = np.bincount(signs, minlength=len(self))
        share = np.bincount(before[opens], minlength=len(self)) / times.clip(min=1)
        pairs = np.unique(before[opens] * len(self) + after[opens])
        followers = np.bincount(pairs // len(self), minlength=len(self))
        chosen = (share >= OPENER_SHARE) & (followers >= OPENER_FOLLOWERS)
        return frozenset(name for name in self._named(chosen) if name in self.function_words)

    def _named(self, chosen: BoolArray) -> list[str]:
        return [self.names[place] for place in np.flatnonzero(chosen)]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        sets = ("endings", "function_words", "openers", "counted")
        return {"names": list(self.names), **{name: sorted(getattr(self, name)) for name in sets}}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Signs":
        """The inverse of :meth:`to_dict`."""
        sets = ("endings", "function_words", "openers", "counted")
        return cls(tuple(values["names"]), *(frozenset(values[name]) for name in sets))


def _is_text(word: str) -> bool:
    return any(character.isalpha() for character in word)


def _is_number(word: str) -> bool:
    return not _is_text(word) and any(character.isdigit() for character in word)


def _shared_endings(words: Iterable[str], function_words: frozenset[str]) -> frozenset[str]:
    """Endings that many words have."""
    whole = [word for word in words if word.isalpha() and word not in function_words]
    times = Counter(
        word[-size:]
        for word in whole
        for size in range(1, LONGEST_ENDING + 1)
        if len(word) > size + 2
    )
    least = max(ENDING_SHARE * len(whole), LEAST_COUNT)
    return frozenset(ending for ending, count in times.items() if count >= least)
