"""Files of text in, decoded lines out: compression, encodings, and errors that name the place.

Nothing is read ahead of its use, so memory does not grow with the file.
"""

import bz2
import codecs
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from segtopic.corpus.archive import allowed_bytes, expands_too_much
from segtopic.errors import CorpusError

COMPRESSIONS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
BLOCK = 1 << 18


@contextmanager
def open_bytes(path: Path | None) -> Iterator[BinaryIO]:
    """Open a file, decompressing by its extension; ``None`` is standard input."""
    if path is None:
        yield sys.stdin.buffer
        return
    opener = COMPRESSIONS.get(path.suffix.lower())
    try:
        with cast(BinaryIO, opener(path, "rb")) if opener else path.open("rb") as stream:
            yield cast(BinaryIO, _Bounded(stream, path)) if opener else stream
    except (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError) as error:
        raise _broken(path, error) from None
    except OSError as error:
        if error.filename is None and opener is not None:  # bz2 has no error class of its own
            raise _broken(path, error) from None
        raise CorpusError(
            f"{path}: cannot be read ({error.strerror}); check the name and permissions"
        ) from None


class _Bounded:
    """Reads a decompressed stream, but not more than a text of its size can have."""

    def __init__(self, stream: BinaryIO, path: Path) -> None:
        self._stream, self._path = stream, path
        self._allowed = allowed_bytes(path)

    def read(self, size: int) -> bytes:
        """The next bytes."""
        block = self._stream.read(size)
        self._allowed -= len(block)
        if self._allowed < 0:
            raise expands_too_much(self._path)
        return block


def _broken(path: Path, error: Exception) -> CorpusError:
    return CorpusError(
        f"{path}: is not a whole {path.suffix} file ({error}); "
        "fetch it again, or rename it if it is not compressed"
    )


def decoded_blocks(stream: BinaryIO, name: str, encoding: str) -> Iterator[str]:
    """The text of a stream; an undecodable byte is an error that names its line and position."""
    # utf-8-sig also reads files without the byte order mark that some editors put first.
    decoder = codecs.getincrementaldecoder(
        "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding
    )()
    # What is there, without waiting for more: somebody may be typing it.
    read = getattr(stream, "read1", stream.read)
    n_lines, n_bytes = 0, 0
    while True:
        block = read(BLOCK)
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            kept_from_before = len(error.object) - len(block)
            byte = n_bytes - kept_from_before + error.start
            good = error.object[: error.start].decode(encoding, errors="replace")
            raise CorpusError(
                f"{name}: line {n_lines + good.count(chr(10)) + 1}, byte {byte + 1} of the file: "
                f"0x{error.object[error.start]:02x} is not {encoding} ({error.reason}); "
                + (
                    "this looks like a binary file, not text"
                    if b"\0" in error.object
                    else "pass --encoding, for example latin-1 or cp1252"
                )
            ) from None
        except UnicodeError as error:
            raise CorpusError(
                f"{name}: is not {encoding} text ({error}); pass another --encoding"
            ) from None
        if text:
            yield text
        if not block:
            return
        n_lines += text.count("\n")
        n_bytes += len(block)


def line_blocks(stream: BinaryIO, name: str, encoding: str) -> Iterator[list[str]]:
    """The lines of a stream, as many at a time as have arrived; the last one may lack its end."""
    unfinished: list[str] = []
    for block in decoded_blocks(stream, name, encoding):
        first, newline, rest = block.partition("\n")
        unfinished.append(first)
        if not newline:
            continue
        *lines, last = rest.split("\n")
        yield ["".join(unfinished) + "\n", *(line + "\n" for line in lines)]
        unfinished = [last]
    if any(unfinished):
        yield ["".join(unfinished)]


def decoded_lines(stream: BinaryIO, name: str, encoding: str) -> Iterator[str]:
    """The lines of a stream, each with its ``\\n`` (the last one may lack it)."""
    for lines in line_blocks(stream, name, encoding):
        yield from lines
