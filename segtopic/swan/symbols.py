"""Symbols and their numbers: a table for each side of the pairs.

>>> table = SymbolTable.of([("K", "AE", "T"), ("K", "AA", "R")])
>>> table.symbols
('AA', 'AE', 'K', 'R', 'T')
>>> table.numbers(("T", "AE", "K"))
[4, 1, 2]
>>> table.names([4, 1, 2])
('T', 'AE', 'K')
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from segtopic.errors import CorpusError

Sequences = Iterable[Sequence[str]]


@dataclass(frozen=True)
class SymbolTable:
    """The symbols of one side, each with its place as its number."""

    symbols: tuple[str, ...]
    _number: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        number = {symbol: place for place, symbol in enumerate(self.symbols)}
        if len(number) < len(self.symbols):
            raise ValueError("a table of symbols holds each of them once")
        object.__setattr__(self, "_number", number)

    @classmethod
    def of(cls, sequences: Sequences) -> "SymbolTable":
        """All the symbols that occur, sorted."""
        return cls(tuple(sorted({symbol for sequence in sequences for symbol in sequence})))

    def __len__(self) -> int:
        return len(self.symbols)

    def knows(self, sequence: Sequence[str]) -> bool:
        """Whether every symbol has a number."""
        return all(symbol in self._number for symbol in sequence)

    def numbers(self, sequence: Sequence[str]) -> list[int]:
        """The numbers of a sequence; an unknown symbol is an error that names it."""
        try:
            return [self._number[symbol] for symbol in sequence]
        except KeyError as error:
            raise CorpusError(
                f"the symbol '{error.args[0]}' does not occur in the training pairs; "
                f"the model knows {self._shown()}"
            ) from None

    def names(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """The symbols of some numbers."""
        return tuple(self.symbols[number] for number in numbers)

    def _shown(self) -> str:
        shown = " ".join(self.symbols[:40])
        return shown if len(self) <= 40 else f"{shown} and {len(self) - 40} more"
