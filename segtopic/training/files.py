"""Files of a run are whole or not there, also after the process was killed or the disk was full."""

import os
from contextlib import suppress
from pathlib import Path

from segtopic.errors import RunError


def write_atomically(
    path: Path,
    content: str | bytes | memoryview,
    remedy: str = "make room or choose another --out",
) -> None:
    """Write under a temporary name, wait for the disk, then rename."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    data = content.encode() if isinstance(content, str) else content
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        _remove(temporary)
        if isinstance(error, OSError):
            reason = error.strerror or error
            raise RunError(f"{path}: cannot be written ({reason}); {remedy}") from None
        raise


def remove_unfinished(folder: Path) -> None:
    """Remove the temporary files of a process that was killed while it wrote into the folder."""
    for path in folder.glob(".*.*.tmp"):
        _remove(path)


def _remove(path: Path) -> None:
    # It does no harm; why it cannot be removed is told by what else is wanted of the folder.
    with suppress(OSError):
        path.unlink()
