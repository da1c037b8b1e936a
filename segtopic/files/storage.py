"""Folders and files on any file system that pyarrow or fsspec knows: ``s3://``, ``gs://``, paths.

>>> storage = Storage.at("memory://doctest/out")
>>> storage.write("a.txt", b"whole")
>>> storage.exists("a.txt"), storage.read("a.txt"), storage.names()
(True, b'whole', ['a.txt'])
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from segtopic.errors import OutputError
from segtopic.files.whole import write_atomically

BLOCK = 1 << 20


def is_remote(name: str) -> bool:
    """Whether a name has a scheme, and so is no path of this machine."""
    return "://" in name


def file_system(uri: str) -> tuple[Any, str]:
    """The pyarrow file system of an address, and the path in it."""
    import pyarrow as pa
    from pyarrow import fs

    if not is_remote(uri):
        return fs.LocalFileSystem(), os.path.abspath(os.path.expanduser(uri))
    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(uri)
        return found
    except pa.ArrowInvalid:  # another scheme than pyarrow's own
        import fsspec

        known, path = fsspec.core.url_to_fs(uri)
        return fs.PyFileSystem(fs.FSSpecHandler(known)), path


class Storage(NamedTuple):
    """A folder; its files are whole or not there."""

    uri: str
    system: Any
    root: str

    @classmethod
    def at(cls, uri: str) -> "Storage":
        """The folder of an address; it needs not be there."""
        try:
            system, root = file_system(uri)
        except (OSError, ValueError, ImportError) as error:
            raise OutputError(f"{uri}: cannot be used ({error}); check the address") from None
        return cls(uri, system, root.rstrip("/"))

    def names(self, below: str = "") -> list[str]:
        """The files in it, or in a folder below; those of deeper ones are not among them."""
        from pyarrow import fs

        chosen = fs.FileSelector(f"{self.root}/{below}".rstrip("/"), allow_not_found=True)
        return sorted(each.base_name for each in self.system.get_file_info(chosen) if each.is_file)

    def exists(self, name: str) -> bool:
        """Whether a file is there."""
        return bool(self.system.get_file_info(f"{self.root}/{name}").is_file)

    def read(self, name: str) -> bytes:
        """A whole file."""
        with self.system.open_input_stream(f"{self.root}/{name}") as stream:
            content: bytes = stream.read()
        return content

    def write(self, name: str, content: bytes) -> None:
        """A whole file; on object stores it appears when all of it is there."""
        path = f"{self.root}/{name}"
        try:
            self.system.create_dir(path.rpartition("/")[0], recursive=True)
            if not is_remote(self.uri):
                write_atomically(Path(path), content)
                return
            with self.system.open_output_stream(path) as stream:
                stream.write(content)
        except OSError as error:
            raise OutputError(
                f"{self.uri}/{name}: cannot be written ({str(error).splitlines()[0]}); "
                "check the address and the permissions, then go on with --resume"
            ) from None

    def remove(self, name: str) -> None:
        """A file or a folder that is there, with all that is in it."""
        from pyarrow import fs

        path = f"{self.root}/{name}"
        kind = self.system.get_file_info(path).type
        if kind == fs.FileType.Directory:
            self.system.delete_dir(path)
        elif kind == fs.FileType.File:
            self.system.delete_file(path)


@contextmanager
def fetched(uri: str, begin: int = 0, end: int | None = None) -> Iterator[Path]:
    """A file on this machine, or the lines of it that begin from byte ``begin`` up to ``end``."""
    if not is_remote(uri) and begin == 0 and end is None:
        yield Path(uri)
        return
    system, path = file_system(uri)
    suffix = "".join(Path(path).suffixes[-2:])
    with tempfile.NamedTemporaryFile(prefix="segtopic-", suffix=suffix) as copy:
        with system.open_input_file(path) as stream:
            for block in _lines_within(stream, begin, end):
                copy.write(block)
        copy.flush()
        yield Path(copy.name)


def _lines_within(stream: Any, begin: int, end: int | None) -> Iterator[bytes]:
    """The bytes of all lines that begin in the range; the last one is read to its end."""
    if begin:  # the line that begins before ends here, or later, and is another one's
        stream.seek(begin - 1)
        begin -= 1
        while True:
            block = stream.read(BLOCK)
            place = block.find(b"\n")
            begin += len(block) if place < 0 else place + 1
            if place >= 0 or not block:
                break
        stream.seek(begin)
    while end is None or begin < end:
        block = stream.read(BLOCK if end is None else min(BLOCK, end - begin))
        if not block:
            return
        begin += len(block)
        yield block
    if end is None or begin > end:
        return
    stream.seek(end - 1)
    while not (block := stream.read(1)).endswith(b"\n") and block:
        rest = stream.read(BLOCK)
        place = rest.find(b"\n")
        yield rest if place < 0 else rest[: place + 1]
        if place >= 0 or not rest:
            return
        stream.seek(stream.tell() - 1)
