"""A phrase grammar: learned from texts, it gives the probability of every phrase of a new text.

It is kept with a run in one file; nothing in it is unpickled.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from segtopic.corpus.spans import SpanRules
from segtopic.errors import RunError
from segtopic.files import write_atomically
from segtopic.grammar.abbreviations import learn_abbreviations
from segtopic.grammar.chain import Chain, FloatArray, by_length, phrase_posteriors
from segtopic.grammar.clauses import Case, ClauseReader, Clauses
from segtopic.grammar.learning import Roles, learn_chain
from segtopic.grammar.signs import Signs

LONGEST_PHRASE = 6
MOST_CHARACTERS = 6_000_000  # of text to learn from, about a million words
LEAST_OPENERS, LEAST_OPENED = 2, 200  # openers, and different words after them


def every_so_many(n_characters: int) -> int:
    """Which of the documents of a corpus are enough to learn from: 1 for all, 3 for every third."""
    return max(-(-n_characters // MOST_CHARACTERS), 1)


@dataclass(frozen=True, eq=False, repr=False)
class PhraseReading:
    """What a grammar says of some texts, of ``N`` words.

    Attributes:
        clauses: The words.
        probabilities: ``(N, L)`` that ``l`` words from word ``i`` on are one phrase.
    """

    clauses: Clauses
    probabilities: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class PhraseGrammar:
    """Reads phrases.

    Attributes:
        rules: What a word is.
        abbreviations: Words whose dot ends no clause.
        signs: What is seen of a word.
        chain: Of the roles that words have.
    """

    rules: SpanRules
    abbreviations: frozenset[str]
    signs: Signs
    chain: Chain

    @classmethod
    def learn(
        cls, texts: Sequence[str], rules: SpanRules, function_words: frozenset[str]
    ) -> "PhraseGrammar | None":
        """The grammar of some texts; none if they are too few to tell.

        Args:
            texts: of documents; see :func:`every_so_many`.
            rules: what a word is.
            function_words: neither begin nor end a phrase.
        """
        tokeniser = rules.tokeniser()
        abbreviations = learn_abbreviations(tokeniser, texts)
        clauses = ClauseReader(tokeniser, abbreviations).read(texts)
        signs = Signs.learn(clauses, function_words)
        if not _tells_enough(clauses, signs):
            return None
        chain = learn_chain(clauses, signs, Roles.usual())
        return cls(rules, abbreviations, signs, _as_stored(chain))

    @property
    def function_words(self) -> frozenset[str]:
        """Words that begin and end no phrase."""
        return self.signs.function_words

    def clauses(self, texts: Sequence[str]) -> Clauses:
        """The words of some texts."""
        return self._reader.read(texts)

    def read(self, clauses: Clauses, together: FloatArray | None = None) -> PhraseReading:
        """The phrases of clauses.

        Args:
            clauses: of new texts.
            together: ``(N,)`` odds that each word and the next one belong together, where
                something else than the grammar has an opinion; 1 where not.
        """
        roles = Roles.usual()
        signs = self.signs.numbers(clauses)
        found = np.zeros((len(clauses), LONGEST_PHRASE))
        for places in by_length(clauses.first, clauses.lengths):
            shown = self.chain.shown(signs[places], clauses.cases[places])
            stays = None
            if together is not None:
                stays = np.ones_like(shown)
                stays[:, :, roles.inner] = together[places][:, :, None]
            found[places] = phrase_posteriors(
                self.chain, shown, roles.inner, roles.last, LONGEST_PHRASE, stays
            )
        return PhraseReading(clauses, found.clip(0, 1))

    @cached_property
    def _reader(self) -> ClauseReader:
        return ClauseReader(self.rules.tokeniser(), self.abbreviations)

    def save(self, path: Path) -> None:
        """Write one file."""
        tables = {
            field.name: np.ascontiguousarray(getattr(self.chain, field.name), dtype=np.float32)
            for field in fields(Chain)
        }
        words = {"signs": self.signs.to_dict(), "abbreviations": sorted(self.abbreviations)}
        write_atomically(path, save(tables, {"grammar": json.dumps(words)}))

    @classmethod
    def load(cls, path: Path, rules: SpanRules) -> "PhraseGrammar":
        """Read it again; ``rules`` are those of the run."""
        try:
            tables, words = _read(path)
            signs = Signs.from_dict(words["signs"])
            chain = Chain(**tables)
            _check(chain, signs)
            return cls(rules, frozenset(words["abbreviations"]), signs, chain)
        except (OSError, SafetensorError, ValueError, KeyError, TypeError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise RunError(f"{path}: is damaged ({reason}); bring back a copy") from None


def _read(path: Path) -> tuple[dict[str, FloatArray], dict[str, Any]]:
    """The tables of a file and the words beside them."""
    content = path.read_bytes()
    tables = load(content)  # which also checks that the header is whole
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    doubles = {name: table.astype(np.float64) for name, table in tables.items()}
    return doubles, json.loads(header["__metadata__"]["grammar"])


def _check(chain: Chain, signs: Signs) -> None:
    """Refuse tables that do not fit each other."""
    n_roles, n_signs = len(Roles.usual()), len(signs)
    sizes = {
        "begin": (n_roles,),
        "move": (n_roles, n_roles),
        "stop": (n_roles,),
        "signs": (n_roles, n_signs),
        "cases": (n_roles, len(Case)),
    }
    for name, size in sizes.items():
        table = getattr(chain, name)
        if table.shape != size or not np.isfinite(table).all() or (table < 0).any():
            raise ValueError(f"{name} is no table of {size} probabilities")


def _tells_enough(clauses: Clauses, signs: Signs) -> bool:
    if len(signs.openers) < LEAST_OPENERS:
        return False
    numbers, followed = signs.numbers(clauses), clauses.followed()
    opened = numbers[1:][followed[:-1] & signs.is_opener[numbers[:-1]]]
    return len(np.unique(opened)) >= LEAST_OPENED


def _as_stored(chain: Chain) -> Chain:
    """As it is after it was saved and loaded: in single precision."""
    return Chain(
        **{
            field.name: getattr(chain, field.name).astype(np.float32).astype(np.float64)
            for field in fields(Chain)
        }
    )
