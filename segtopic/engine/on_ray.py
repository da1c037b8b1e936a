"""Work on a Ray cluster: its tasks for results in order, Ray Data for pieces in any order.

Workers on other machines need segtopic installed, and nothing else: what they start with comes
through Ray. A task whose machine is gone is done again by another one.
"""

import logging
import os
import pickle
import socket
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from segtopic.engine.protocol import Piece, Result, Start, a_few_ahead
from segtopic.errors import SegtopicError, WorkerError

LOCAL = "local"
SECONDS_TO_ANSWER = 10


@contextmanager
def connected(address: str, n_workers: int | None = None) -> Iterator[int]:
    """Be in touch with a cluster, or with one of this machine's own; yields its processors.

    A connection that is there already is used, and left as it is.
    """
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # remarks for those who build Ray
    try:
        import ray
    except ImportError:
        raise WorkerError(
            "Ray is not installed; install it with: pip install 'segtopic[ray]'"
        ) from None
    if ray.is_initialized():
        yield _processors(n_workers)
        return
    # Otherwise Ray warns that it will one day leave GPUs visible to tasks that ask for none.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    here: dict[str, Any] = {}
    if address == LOCAL:
        # On a machine of one's own a worker is worth as much as any other process.
        os.environ.setdefault("RAY_worker_niceness", "0")
        here = {"num_cpus": n_workers, "include_dashboard": False}
    else:
        _check_reachable(address)
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **here)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise WorkerError(
            f"--ray {address}: there is no cluster to work with ({reason}); "
            "give the address of one, or 'local'"
        ) from None
    try:
        yield _processors(n_workers)
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Ray itself would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not port.isdigit():  # 'auto', or a name that Ray knows more of
        return
    try:
        socket.create_connection((host, int(port)), SECONDS_TO_ANSWER).close()
    except OSError as error:
        raise WorkerError(
            f"--ray {address}: nobody answers there ({error.strerror or error}); "
            "give the address of a cluster, or 'local'"
        ) from None


def _processors(n_workers: int | None) -> int:
    import ray

    return n_workers or max(int(ray.cluster_resources().get("CPU", 1)), 1)


class RayTasks:
    """An :class:`segtopic.engine.Engine` on a cluster.

    Args:
        n_workers: tasks at a time.
    """

    def __init__(self, n_workers: int) -> None:
        self._n_workers = n_workers

    def map(
        self, start: Start[Piece, Result], pieces: Iterable[Piece]
    ) -> Iterator[tuple[Piece, Result]]:
        """See :class:`segtopic.engine.Engine`."""
        import ray

        task = ray.remote(num_cpus=1, max_retries=-1)(_work)
        shared, name = ray.put(start), uuid.uuid4().hex
        submit = partial(task.remote, name, shared)
        for piece, reference in a_few_ahead(submit, pieces, self._n_workers):
            yield piece, _result(reference)


def _result(reference: Any) -> Any:
    """What a task gives; a user's mistake is raised as what it is."""
    import ray

    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, SegtopicError):
            raise error.cause from None
        raise


_started: dict[str, Callable[[Any], Any]] = {}


def _work(name: str, start: Start[Any, Any], piece: Any) -> Any:
    if name not in _started:
        _started.clear()
        _started[name] = start()
    return _started[name](piece)


def in_any_order(
    start: Start[Piece, Result], pieces: Sequence[Piece], n_workers: int
) -> Iterator[Result]:
    """The results as they come, on Ray Data: each worker starts once and then takes piece by piece.

    A piece may be begun twice, if a machine is lost; it should then find what is done already.
    """
    import ray
    import ray.data

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.log_internal_stack_trace_to_stdout = False
    for name in ("ray.data", "ray"):
        logging.getLogger(name).setLevel(logging.ERROR)
    rows = ray.data.from_items(
        [{"piece": pickle.dumps(piece)} for piece in pieces], override_num_blocks=len(pieces)
    )
    done = rows.map_batches(
        _Actor,
        fn_constructor_args=(ray.put(start),),
        batch_size=1,
        num_cpus=1,
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=n_workers),
    )
    for row in done.iter_rows():
        if row["error"]:
            raise pickle.loads(row["error"])
        yield pickle.loads(row["result"])


class _Actor:
    """A worker of Ray Data; a user's mistake comes back as what it is."""

    def __init__(self, start: Any) -> None:
        import ray

        self._work = ray.get(start)()

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[bytes]]:
        done: dict[str, list[bytes]] = {"result": [], "error": []}
        for piece in batch["piece"]:
            try:
                result, error = pickle.dumps(self._work(pickle.loads(piece))), b""
            except SegtopicError as mistake:
                result, error = b"", pickle.dumps(mistake)
            done["result"].append(result)
            done["error"].append(error)
        return done
