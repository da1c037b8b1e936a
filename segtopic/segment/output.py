"""A long output that survives interruptions: a part under another name, then the whole file.

While it grows, ``FILE.partial`` holds the output and ``FILE.partial.json`` tells how many
documents and bytes of it are safe, and which settings made it. Whatever was written after the last
safe place is written again. When everything is there, the part takes the name of the file.
"""

import json
import os
from pathlib import Path
from types import TracebackType
from typing import IO

from segtopic.errors import OutputError
from segtopic.files import write_atomically
from segtopic.files.whole import not_writable

KEPT = "make room or choose another --out; what was written so far is kept for --resume"


class ResumableFile:
    """The output of a command.

    Args:
        path: of the file.
        key: of the settings; an output can only go on with the settings it was begun with.
        resume: go on with the part that is there.
        overwrite: replace what is there.
    """

    def __init__(self, path: Path, key: str, resume: bool = False, overwrite: bool = False) -> None:
        self._path, self._key = path, key
        self._part = path.with_name(path.name + ".partial")
        self._state = path.with_name(path.name + ".partial.json")
        self._stream: IO[bytes]
        self.documents = 0  # that were safe when the file was opened, later: that are safe
        safe_bytes = 0
        if path.is_dir():
            raise OutputError(f"{path}: is a folder; give --out the name of a file")
        if not path.parent.is_dir():
            raise OutputError(f"{path.parent}: there is no such folder; make it first")
        if path.exists() and not overwrite:
            raise OutputError(f"{path}: is there already; pass --overwrite, or another --out")
        if self._part.exists() and resume:
            self.documents, safe_bytes = self._read_state()
        elif self._part.exists() and not overwrite:
            raise OutputError(
                f"{self._part}: an output was begun; go on with --resume, or pass --overwrite"
            )
        try:
            self._part.touch()
            self._stream = self._part.open("r+b")
            self._stream.truncate(safe_bytes)
            self._stream.seek(safe_bytes)
        except OSError as error:
            raise self._not_writable(error) from None

    def write(self, text: str) -> None:
        """Add to the output; safe only after :meth:`keep`."""
        try:
            self._stream.write(text.encode("utf-8", errors="surrogatepass"))
        except OSError as error:
            raise self._not_writable(error) from None

    def keep(self, n_documents: int) -> None:
        """Make everything up to here safe; so many documents were written since the last time."""
        self.documents += n_documents
        try:
            self._stream.flush()
            os.fsync(self._stream.fileno())
            state = {"key": self._key, "documents": self.documents, "bytes": self._stream.tell()}
            write_atomically(self._state, json.dumps(state), remedy=KEPT)
        except OSError as error:
            raise self._not_writable(error) from None

    def __enter__(self) -> "ResumableFile":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Without an error the output is whole and gets its name."""
        try:
            self._stream.close()
        except OSError as failure:
            if kind is None:
                raise self._not_writable(failure) from None
        if kind is None:
            self._part.replace(self._path)
            self._state.unlink(missing_ok=True)

    def _read_state(self) -> tuple[int, int]:
        try:
            state = json.loads(self._state.read_text(encoding="utf-8"))
            key, documents, size = state["key"], int(state["documents"]), int(state["bytes"])
            if documents < 0 or not 0 <= size <= self._part.stat().st_size:
                raise ValueError("it does not fit the part")
        except FileNotFoundError:
            return 0, 0  # interrupted before anything was safe
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise OutputError(
                f"{self._state}: is damaged ({error}); begin again with --overwrite"
            ) from None
        if key != self._key:
            raise OutputError(
                f"{self._part}: was begun with another model, source or setting; "
                "repeat that command, or begin again with --overwrite"
            )
        return documents, size

    def _not_writable(self, error: OSError) -> OutputError:
        return not_writable(self._path, error, KEPT)
