"""What every engine does: pieces in, each with its result out, in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")
Promise = TypeVar("Promise")
Start = Callable[[], Callable[[Piece], Result]]
"""Makes what works on pieces: called once by each worker, which then keeps it."""
AHEAD = 2  # pieces that wait for each worker, so that none waits for a piece


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


def a_few_ahead(
    submit: Callable[[Piece], Promise], pieces: Iterable[Piece], n_workers: int
) -> Iterator[tuple[Piece, Promise]]:
    """Hand out pieces a few ahead; each with what was promised for it, in order.

    >>> list(a_few_ahead(str.upper, "abcd", n_workers=1))
    [('a', 'A'), ('b', 'B'), ('c', 'C'), ('d', 'D')]
    """
    waiting: deque[tuple[Piece, Promise]] = deque()
    for piece in pieces:
        waiting.append((piece, submit(piece)))
        if len(waiting) > AHEAD * n_workers:
            yield waiting.popleft()
    yield from waiting
