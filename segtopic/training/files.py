"""Files of a run are whole or not there."""

import os
from pathlib import Path

from segtopic.errors import RunError


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write under a temporary name, then rename: a file is whole or not there."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    data = content.encode() if isinstance(content, str) else content
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise RunError(
            f"{path}: cannot be written ({error.strerror}); free it or choose --out"
        ) from None
