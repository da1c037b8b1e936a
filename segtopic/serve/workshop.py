"""One worker and a queue with an end: calls in, answers out, or a refusal at once.

Inference keeps a processor busy, and torch uses all of them for one text. A second worker would
only make both slow, so texts are read one after the other. What waits is bounded: more than that
is refused while the server can still say so.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Answer = TypeVar("Answer")

LONGEST_QUEUE = 100


class Busy(Exception):
    """So many calls are waiting that another one is refused."""


class Workshop:
    """Calls functions one after the other, away from the thread that talks to the network.

    Args:
        longest_queue: calls that may be under way or waiting.
    """

    def __init__(self, longest_queue: int = LONGEST_QUEUE) -> None:
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reader")
        self._longest_queue = longest_queue
        self._waiting = 0

    async def do(self, call: Callable[[], Answer]) -> Answer:
        """The answer of a call; :class:`Busy` if too many are waiting."""
        if self._waiting >= self._longest_queue:
            raise Busy
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._worker, call)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Drop what waits; what is under way comes to its end."""
        self._worker.shutdown(wait=False, cancel_futures=True)
