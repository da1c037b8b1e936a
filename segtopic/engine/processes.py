"""Work in processes of this machine, each with one thread.

The processes are new ones and not forked: torch's threads do not survive a fork.
"""

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from segtopic.engine.protocol import Piece, Result, Start
from segtopic.errors import WorkerError

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
AHEAD = 2  # pieces that wait for each worker, so that none waits for a piece


class Processes:
    """Workers on this machine.

    Args:
        n_workers: so many.
    """

    def __init__(self, n_workers: int) -> None:
        self._n_workers = n_workers

    def map(
        self, start: Start[Piece, Result], pieces: Iterable[Piece]
    ) -> Iterator[tuple[Piece, Result]]:
        """See :class:`segtopic.engine.Engine`."""
        context = multiprocessing.get_context("spawn")
        waiting: deque[tuple[Piece, Future[Result]]] = deque()
        with one_thread_each():
            pool = ProcessPoolExecutor(self._n_workers, context, _start_worker, (start,))
            try:
                for piece in pieces:
                    waiting.append((piece, pool.submit(_work, piece)))
                    if len(waiting) > AHEAD * self._n_workers:
                        done, result = waiting.popleft()
                        yield done, result.result()
                while waiting:
                    done, result = waiting.popleft()
                    yield done, result.result()
            except BrokenProcessPool:
                raise WorkerError(
                    "a worker process was killed, perhaps for want of memory; "
                    "try again with fewer --workers"
                ) from None
            finally:
                pool.shutdown(cancel_futures=True)


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Processes that start meanwhile have one thread for numbers."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


_worker: Callable[[Any], Any]


def _start_worker(start: Start[Any, Any]) -> None:
    global _worker
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker = start()


def _work(piece: Any) -> Any:
    return _worker(piece)


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
