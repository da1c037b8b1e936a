"""Where documents come from: settings in, a located source with a fingerprint out, then documents.

A source is a file, a folder, an archive, standard input, a named corpus, a prepared one, or a file
or folder on another file system; all of them become a stream of documents.
"""

import dataclasses
import hashlib
import os
import shutil
import tempfile
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from segtopic.config import CorpusConfig, SourceConfig
from segtopic.corpus.archive import extract, is_archive
from segtopic.corpus.corpus import Corpus, is_corpus
from segtopic.corpus.latex import from_latex
from segtopic.corpus.named import (
    NAMED_CORPORA,
    KnownFile,
    NamedCorpus,
    named_corpus,
    recognise,
    require,
)
from segtopic.corpus.readers import EXTENSIONS, READERS, format_of, required_format
from segtopic.corpus.records import BadLines, DuplicateIds, Record, checked, with_own_ids
from segtopic.corpus.remote import read_file, remote_files, remote_fingerprint
from segtopic.errors import CorpusError
from segtopic.files import digest_of
from segtopic.files.storage import is_remote

# Up to so many bytes the content decides whether a source changed; beyond, size and time do.
DIGESTED_BYTES = 256 << 20
Config = TypeVar("Config", bound=CorpusConfig)


@dataclass(frozen=True)
class Source:
    """A source that is there, and how to read it.

    Its path is ``None`` for standard input, and for what is on another file system.
    """

    path: Path | None
    config: SourceConfig
    id_asked_for: bool
    member: str | None = None

    @property
    def label(self) -> str:
        """What the user called it."""
        return "standard input" if self.config.data == "-" else self.config.data

    @property
    def is_remote(self) -> bool:
        """Whether it is at an address such as ``s3://bucket/folder``."""
        return self.path is None and is_remote(self.config.data)

    @property
    def is_prepared(self) -> bool:
        """Whether it is a folder made by ``segtopic prepare``."""
        return self.path is not None and is_corpus(self.path)


def locate(config: SourceConfig) -> Source:
    """Find the source; the settings of a named corpus fill in what the user left open."""
    asked = config.id_column is not None
    if config.data == "-" or is_remote(config.data):
        return Source(None, config, asked)
    if config.data in NAMED_CORPORA:
        corpus = named_corpus(config.data)
        return _named_source(corpus, *require(corpus), config)
    path = Path(config.data).expanduser()
    try:
        exists = path.exists()
    except OSError as error:  # a folder above it is closed
        raise CorpusError(
            f"{path}: cannot be read ({error.strerror}); check its permissions"
        ) from None
    if not exists:
        names = ", ".join(NAMED_CORPORA)
        raise CorpusError(f"{path}: there is no such file, folder or named corpus ({names})")
    if not path.is_file() and not path.is_dir():
        raise CorpusError(
            f"{path}: is a pipe or a device, which is read only once or never ends; "
            "save it to a file, or give '-' and the text on standard input"
        )
    if (path / "run.json").is_file() and (path / "config.yaml").is_file():
        raise CorpusError(f"{path}: is a run, not a source of text; give what it was trained on")
    recognised = recognise(path)
    if recognised is not None:
        return _named_source(recognised[0], path, recognised[1], config)
    return Source(path, config, asked)


def _named_source(corpus: NamedCorpus, path: Path, file: KnownFile, config: SourceConfig) -> Source:
    preset = {k: v for k, v in corpus.reading.items() if getattr(config, k) is None}
    asked = config.id_column is not None
    return Source(path, dataclasses.replace(config, **preset), asked, file.member)


def with_columns_of(source: Source, known: SourceConfig) -> Source:
    """The source, read by the columns of one that is known, if it has them.

    Columns that the user has named are left as they are.
    """
    own = source.config
    if own.text_column is not None or (known.text_column, known.id_column) == (None, None):
        return source
    columns = dataclasses.replace(
        own, text_column=known.text_column, id_column=own.id_column or known.id_column
    )
    alike = dataclasses.replace(source, config=columns)
    if source.path is None and not source.is_remote:
        return alike
    if source.path is not None and is_archive(source.path):  # to look into it is to unpack it
        return source
    first = raw_records(alike, BadLines("skip"))
    try:
        next(first, None)
    except CorpusError:
        return source
    finally:
        first.close()
    return alike


def anchored(config: Config) -> Config:
    """The same settings with paths that mean the same from every folder."""

    def absolute(path: str) -> str:
        found = Path(path).expanduser()
        return str(found.absolute()) if found.exists() else path

    data, stop_words = config.data, config.stop_words
    if data != "-" and data not in NAMED_CORPORA:
        data = absolute(data)
    if isinstance(stop_words, str) and stop_words not in ("english", "none"):
        stop_words = absolute(stop_words)
    return dataclasses.replace(config, data=data, stop_words=stop_words)


def fingerprint(source: Source) -> str | None:
    """What changes when the source's content changes; ``None`` if that cannot be known."""
    if source.is_remote:
        return remote_fingerprint(source.config)
    if source.path is None:
        return None
    paths = files_below(source.path) if source.path.is_dir() else [source.path]
    stats = [(path, path.stat()) for path in paths]
    by_content = sum(stat.st_size for _, stat in stats) <= DIGESTED_BYTES
    digest = hashlib.sha256()
    for path, stat in stats:
        name = path.relative_to(source.path).as_posix() if source.path.is_dir() else path.name
        try:
            content = digest_of(path) if by_content else str(stat.st_mtime_ns)
        except OSError as error:
            raise CorpusError(f"{path}: cannot be read ({error.strerror})") from None
        digest.update(f"{name}\0{stat.st_size}\0{content}\0".encode(errors="surrogateescape"))
    return digest.hexdigest()


def read_documents(
    source: Source, bad_lines: BadLines, duplicates: DuplicateIds
) -> Iterator[Record]:
    """Stream the documents, each with its own name."""
    records = checked(raw_records(source, bad_lines), bad_lines)
    if source.config.latex and not source.is_prepared:  # there it is gone already
        records = (record._replace(text=from_latex(record.text)) for record in records)
    named = with_own_ids(records, source.id_asked_for, bad_lines, duplicates)
    return islice(named, source.config.limit)


def raw_records(source: Source, bad_lines: BadLines) -> Generator[Record, None, None]:
    """The documents as the readers give them."""
    config = source.config
    if source.is_remote:
        for file in remote_files(config):
            yield from read_file(file, config, bad_lines)
    elif source.path is None:
        yield from READERS[config.input_format or "lines"](
            None, "standard input", config, bad_lines
        )
    elif source.is_prepared:
        corpus = Corpus.load(source.path)
        for name, text in zip(corpus.ids, corpus.texts(), strict=True):
            yield Record(name, text, f"{source.path}: document '{name}'")
    elif source.path.is_dir():
        yield from _read_folder(source.path, config, bad_lines)
    elif is_archive(source.path):
        scratch = Path(tempfile.mkdtemp(prefix="segtopic-"))
        try:
            extract(source.path, scratch / "files")
            if source.member is not None:
                name, path = source.member, scratch / "files" / source.member
                yield from READERS[config.input_format or "text"](path, name, config, bad_lines)
            else:
                yield from _read_folder(scratch / "files", config, bad_lines)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    else:
        reader = READERS[required_format(source.path, config)]
        yield from reader(source.path, str(source.path), config, bad_lines)


def _read_folder(folder: Path, config: SourceConfig, bad_lines: BadLines) -> Iterator[Record]:
    """All files of one format; each is to a folder what a line is to a file."""
    paths, chosen = choose_files(folder, files_below(folder), config)
    for path in paths:
        name = path.relative_to(folder).as_posix()
        try:
            for record in READERS[chosen](path, name, config, bad_lines):
                # Numbers start again in every file, so they get the file's name.
                prefix = f"{name}:" if chosen == "lines" else ""
                yield record._replace(id=record.id and prefix + record.id)
        except CorpusError as error:
            if bad_lines.policy == "error" or chosen != "text":
                raise
            bad_lines.report(name, f"was skipped ({error})")


def choose_files(folder: Path, paths: list[Path], config: SourceConfig) -> tuple[list[Path], str]:
    """Those of a folder's files that are read, and their format."""
    by_format: dict[str, list[Path]] = {}
    for path in paths:
        by_format.setdefault(format_of(path) or "", []).append(path)
    if config.input_format is not None:
        # Files without a telling extension are what the user says they are.
        return by_format.get(config.input_format) or by_format.get("", []), config.input_format
    if "text" in by_format:
        return by_format["text"], "text"
    known = [found for found in by_format if found]
    if len(known) == 1:
        return by_format[known[0]], known[0]
    raise CorpusError(
        f"{folder}: holds no .txt file"
        + (f" but files of several formats ({', '.join(sorted(known))})" if known else "")
        + f"; pass --input-format, or give a folder with {', '.join(EXTENSIONS)} files"
    )


def files_below(folder: Path) -> list[Path]:
    """All files below a folder, in an order that does not depend on the computer."""

    def refuse(error: OSError) -> None:
        raise CorpusError(
            f"{error.filename}: cannot be read ({error.strerror}); check its permissions"
        )

    found = []
    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(parent, name) for name in names if not name.startswith(".")]
    return sorted(
        (path for path in found if path.is_file()), key=lambda path: path.relative_to(folder).parts
    )
