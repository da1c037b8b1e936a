"""Archives, unpacked without trust: tar (compressed or not) and zip in, plain files out.

Names that leave the folder, links and devices are refused, and so is an archive that unpacks to
more than it should: nothing of it is kept.
"""

import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from segtopic.errors import CorpusError

ARCHIVE_SUFFIXES = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".zip")
MOST_FILES = 1_000_000
MOST_BYTES = 16 << 30
# No text shrinks to less than a thousandth; what claims to is made to fill the disk.
MOST_EXPANSION = 1000


def is_archive(path: Path) -> bool:
    """Whether the name is that of an archive."""
    return path.name.lower().endswith(ARCHIVE_SUFFIXES)


def allowed_bytes(packed: Path) -> int:
    """How many bytes a packed file may unpack to."""
    return min(MOST_BYTES, max(packed.stat().st_size, 1 << 20) * MOST_EXPANSION)


def expands_too_much(packed: Path) -> CorpusError:
    """The error for a file that unpacks to more."""
    return CorpusError(
        f"{packed}: unpacks to more than {MOST_EXPANSION} times its size or "
        f"{MOST_BYTES >> 30} GB; if you trust it, unpack it yourself"
    )


def extract(archive: Path, folder: Path) -> None:
    """Unpack all files of the archive into a new folder, which is removed again on an error."""
    folder.mkdir(parents=True)
    try:
        allowed = allowed_bytes(archive)
        for number, (name, stream) in enumerate(_files(archive), 1):
            target = folder / _safe_name(archive, name)
            if number > MOST_FILES:
                raise CorpusError(f"{archive}: holds more than {MOST_FILES} files; unpack it first")
            if target.exists():
                raise CorpusError(f"{archive}: holds '{name}' twice; unpack it yourself")
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                while block := stream.read(1 << 20):
                    allowed -= len(block)
                    if allowed < 0:
                        raise expands_too_much(archive)
                    file.write(block)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, ValueError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise CorpusError(
            f"{archive}: cannot be unpacked ({error}); it may be cut short, fetch it again"
        ) from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _files(archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    if archive.suffix.lower() == ".zip":
        with zipfile.ZipFile(archive) as zipped:
            for info in zipped.infolist():
                # The upper half of the attributes is the Unix mode; 0o120000 is a symbolic link.
                if (info.external_attr >> 16) & 0o170000 == 0o120000:
                    raise _link_refused(archive, info.filename)
                if not info.is_dir():
                    with zipped.open(info) as stream:
                        yield info.filename, stream
        return
    with tarfile.open(archive, mode="r|*") as tarred:
        for member in tarred:
            if member.isdir():
                continue
            content = tarred.extractfile(member) if member.isreg() else None
            if content is None:
                raise _link_refused(archive, member.name)
            yield member.name, content


def _link_refused(archive: Path, name: str) -> CorpusError:
    return CorpusError(
        f"{archive}: '{name}' is a link or a device, which is refused; "
        "pack the archive again with plain files only"
    )


def _safe_name(archive: Path, name: str) -> PurePosixPath:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or not path.parts or ":" in path.parts[0]:
        raise CorpusError(
            f"{archive}: '{name}' would be written outside the folder, which is refused; "
            "do not use this archive"
        )
    return path
