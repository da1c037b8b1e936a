"""Work in processes of this machine, each with one thread.

The processes are new ones and not forked: torch's threads do not survive a fork.
"""

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from segtopic.engine.protocol import Piece, Result, Start, a_few_ahead
from segtopic.errors import WorkerError

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


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
        with one_thread_each():
            pool = ProcessPoolExecutor(self._n_workers, context, _start_worker, (start,))

            def submit(piece: Piece) -> Future[Result]:
                return pool.submit(_work, piece)

            try:
                for piece, result in a_few_ahead(submit, pieces, self._n_workers):
                    yield piece, result.result()
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
    end_with_parent()
    _worker = start()


def _work(piece: Any) -> Any:
    return _worker(piece)


def end_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()
