"""Files and folders are whole or not there, also after a kill -9 or on a full disk.

Everything is written under a temporary name, and gets its own when nothing is missing. A folder
that is worked in is locked; the lock ends with its process, however that ends. The folder itself is
locked: a lock file beside or inside it, as the filelock library makes, would stay behind, count as
content, and move along when a finished folder is renamed.
"""

import glob
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from segtopic.errors import OutputError

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


REMEDY = "make room or choose another --out"


@contextmanager
def written_atomically(path: Path, remedy: str = REMEDY) -> Iterator[Path]:
    """A temporary name to write to; the file gets its own when it is whole and on the disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        _remove(temporary)
        if isinstance(error, OSError):
            raise not_writable(path, error, remedy) from None
        raise


def write_atomically(path: Path, content: str | bytes | memoryview, remedy: str = REMEDY) -> None:
    """Write under a temporary name, wait for the disk, then rename."""
    with written_atomically(path, remedy) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def name_also(path: Path, other: Path) -> None:
    """Give a file another name too, in place of what had it; nothing is copied if that works."""
    temporary = other.with_name(f".{other.name}.{os.getpid()}.tmp")
    try:
        os.link(path, temporary)
        temporary.replace(other)
    except OSError:
        write_atomically(other, path.read_bytes())
    finally:
        _remove(temporary)


def remove_unfinished(folder: Path) -> None:
    """Remove the temporary files of a process that was killed while it wrote into the folder."""
    for path in folder.glob(".*.*.tmp"):
        _remove(path)


@contextmanager
def unfinished_folder(out: Path, remedy: str = REMEDY) -> Iterator[Path]:
    """A temporary folder beside ``out``, gone in the end unless it was put in place.

    It is locked, so that it is not taken for one of a process that was killed; those are removed.
    """
    opened = ExitStack()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(out)
        folder = _new_partial(out, opened)
    except OSError as error:
        raise not_writable(out, error, remedy) from None
    try:
        yield folder
    except OSError as error:
        raise not_writable(out, error, f"{remedy}; nothing was kept") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        opened.close()


def put_in_place(folder: Path, out: Path, is_there: Callable[[], bool] = lambda: False) -> None:
    """Rename a finished folder to ``out``, in place of what is there.

    ``is_there`` tells whether ``out`` is already what ``folder`` would make it: another process
    may have been faster, and may be using it.
    """
    folder.chmod(0o755)
    if is_there():
        return
    old = folder.with_name(folder.name + ".old")
    with suppress(FileNotFoundError):
        os.rename(out, old)
    try:
        os.rename(folder, out)
    except OSError:
        if not is_there():
            if old.exists():
                os.rename(old, out)
            raise
    shutil.rmtree(old, ignore_errors=True)


def not_writable(path: Path, error: OSError, remedy: str = REMEDY) -> OutputError:
    """The error for a place that takes no file, or no more of it."""
    # Libraries put words of their own around the system's.
    reason = os.strerror(error.errno) if error.errno else error
    return OutputError(f"{path}: cannot be written ({reason}); {remedy}")


def _new_partial(out: Path, opened: ExitStack) -> Path:
    """A temporary folder beside ``out``, locked until ``opened`` is closed."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f".{out.name}.partial-", dir=out.parent))
        try:
            opened.enter_context(held(folder))
            return folder
        except InUse:  # another process took it for abandoned before it was locked
            continue


def _remove_abandoned(out: Path) -> None:
    """Remove the temporary folders of processes that were killed."""
    for folder in out.parent.glob(f".{glob.escape(out.name)}.partial-*"):
        with suppress(InUse, OSError), held(folder) as certain:
            if certain:
                shutil.rmtree(folder, ignore_errors=True)


def _remove(path: Path) -> None:
    # It does no harm; why it cannot be removed is told by what else is wanted of the folder.
    with suppress(OSError):
        path.unlink()
