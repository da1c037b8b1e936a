"""Folders that one process works in: a lock that ends with its process, however that ends.

The folder itself is locked. A lock file beside or inside it, as the filelock library makes, would
stay behind, count as content, and move along when a finished folder is renamed.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has other locks, and none for folders
    fcntl = None  # type: ignore[assignment]


class InUse(Exception):
    """Another process works in the folder, or has just removed it."""


@contextmanager
def held(folder: Path) -> Iterator[bool]:
    """Work in a folder alone, or raise :class:`InUse`.

    Yields whether that is certain; it is not where the file system knows no locks.
    """
    if fcntl is None:
        yield False
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        raise InUse from None
    _descriptors.add(descriptor)
    try:
        certain = True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUse from None
        except OSError:
            certain = False
        if not folder.exists():
            raise InUse
        yield certain
    finally:
        _descriptors.discard(descriptor)
        os.close(descriptor)


_descriptors: set[int] = set()


def _let_go() -> None:
    """A forked process would hold the locks of a parent that was killed."""
    for descriptor in _descriptors:
        os.close(descriptor)
    _descriptors.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)
