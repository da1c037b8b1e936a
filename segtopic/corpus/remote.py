"""Sources on other file systems: an address in, files and then documents out.

A file is fetched when it is its turn, and read by the reader of its format.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from segtopic.config import SourceConfig
from segtopic.corpus.readers import READERS, format_of
from segtopic.corpus.records import BadLines, Record
from segtopic.errors import CorpusError
from segtopic.files import content_digest
from segtopic.files.storage import fetched, file_system


class SourceFile(NamedTuple):
    """A file of a source, or the lines of it that begin in a range of bytes."""

    uri: str
    name: str  # in messages
    format: str
    id_prefix: str = ""  # before the numbers of lines
    size: int = 0
    begin: int = 0
    end: int | None = None


def remote_files(config: SourceConfig) -> list[SourceFile]:
    """The files at an address, in the order of their names; all of one format."""
    files = [path for path, _, _ in _listed(config)]
    formats = {format_of(Path(path)) for path in files} - {None}
    if config.input_format is not None:
        formats = {config.input_format}
        known = [path for path in files if format_of(Path(path)) == config.input_format]
        files = known or [path for path in files if format_of(Path(path)) is None]
    if len(formats) != 1:
        found = f"files of several formats ({', '.join(sorted(map(str, formats)))})"
        raise CorpusError(
            f"{config.data}: holds {found if formats else 'no file of a known format'}; "
            "pass --input-format"
        )
    (chosen,) = map(str, formats)
    _, root = file_system(config.data)
    is_folder = files != [root]
    made = []
    for path, uri, size in _listed(config):
        if path in files and (config.input_format or format_of(Path(path)) == chosen):
            name = path[len(root) :].lstrip("/") if is_folder else config.data
            prefix = f"{name}:" if is_folder and chosen == "lines" else ""
            made.append(SourceFile(uri, name, chosen, prefix, size))
    return made


def remote_fingerprint(config: SourceConfig) -> str:
    """What changes when a file at an address is added, replaced or removed."""
    system, _ = file_system(config.data)
    files = [
        [path, size, str(system.get_file_info(path).mtime_ns)] for path, _, size in _listed(config)
    ]
    return content_digest(files)


def read_file(file: SourceFile, config: SourceConfig, bad_lines: BadLines) -> Iterator[Record]:
    """The documents of a file, or of a piece of it, as the reader of its format gives them."""
    with _errors_told(file.uri), fetched(file.uri, file.begin, file.end) as path:
        for record in READERS[file.format](path, file.name, config, bad_lines):
            yield record._replace(id=record.id and file.id_prefix + record.id)


@contextmanager
def _errors_told(uri: str) -> Iterator[None]:
    """What a file system says becomes one sentence."""
    try:
        yield
    except (OSError, ImportError, ValueError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise CorpusError(
            f"{uri}: cannot be read ({reason}); check the address and the permissions"
        ) from None


def _listed(config: SourceConfig) -> list[tuple[str, str, int]]:
    """Path, address and size of each file at the address of a source."""
    from pyarrow import fs

    with _errors_told(config.data):
        system, path = file_system(config.data)
        found = system.get_file_info(path)
        if found.type == fs.FileType.Directory:
            below = system.get_file_info(fs.FileSelector(path, recursive=True))
            below = [each for each in below if each.is_file and not _is_hidden(each.path)]
        else:
            below = [found] if found.is_file else []
    if not below:
        raise CorpusError(f"{config.data}: there is no such file or folder, or nothing is in it")
    address, _, question = config.data.partition("?")
    base = address[: len(address) - len(path)] if address.endswith(path) else None
    return sorted(
        (
            each.path,
            _address(config.data, base, path, each.path) + (f"?{question}" if question else ""),
            each.size,
        )
        for each in below
    )


def _address(data: str, base: str | None, root: str, path: str) -> str:
    """The address of a file below one that is known."""
    if base is not None:
        return base + path
    return data.partition("?")[0].rstrip("/") + path[len(root.rstrip("/")) :]


def _is_hidden(path: str) -> bool:
    return path.rpartition("/")[2].startswith((".", "_"))
