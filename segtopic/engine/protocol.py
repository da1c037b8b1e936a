"""What every engine does: pieces in, each with its result out, in order."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")
Start = Callable[[], Callable[[Piece], Result]]
"""Makes what works on pieces: called once by each worker, which then keeps it."""


class Engine(Protocol):
    """Does work; pieces, results and what starts workers can be pickled."""

    def map(
        self, start: Start[Piece, Result], pieces: Iterable[Piece]
    ) -> Iterator[tuple[Piece, Result]]:
        """Every piece with its result, in order; only a few pieces are in memory at a time."""
        ...


class Here:
    """Does everything in this process, one piece after the other.

    >>> list(Here().map(lambda: str.upper, ["a", "b"]))
    [('a', 'A'), ('b', 'B')]
    """

    def map(
        self, start: Start[Piece, Result], pieces: Iterable[Piece]
    ) -> Iterator[tuple[Piece, Result]]:
        """See :class:`Engine`."""
        work = start()
        for piece in pieces:
            yield piece, work(piece)
