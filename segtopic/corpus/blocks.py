"""A source in blocks that can be read anywhere, in any order, with the ids of one long reading.

Files of lines are cut at line ends, every so many bytes; other files are one block each, and so is
a source that is no file (an archive, a prepared corpus). What number a document has, and whether
its id came before, depends on all blocks before its own. So every block is first looked through
(:func:`survey`), and what is found is added up (:func:`places`); then each can be read by itself
(:func:`read_block`).

An id that comes again gets its number, as in :func:`segtopic.corpus.records.with_own_ids`. Only if
the source has the very id that is made so (``a#3``), both keep it.
"""

import codecs
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from segtopic.corpus.archive import is_archive
from segtopic.corpus.documents import IntArray
from segtopic.corpus.latex import from_latex
from segtopic.corpus.readers import required_format
from segtopic.corpus.records import BadLines, Record, checked
from segtopic.corpus.remote import SourceFile, read_file, remote_files
from segtopic.corpus.sources import Source, choose_files, files_below, raw_records
from segtopic.corpus.textfiles import COMPRESSIONS
from segtopic.errors import CorpusError

BLOCK_BYTES = 8 << 20
LINE_FORMATS = ("jsonl", "lines")
_LINES_OF_BYTES = ("utf-8", "ascii", "iso8859-1", "iso8859-15", "cp1252")


@dataclass(frozen=True)
class Block:
    """A part of a source; ``file`` is ``None`` if it is all of one that is no file."""

    number: int
    source_number: int
    source: Source
    file: SourceFile | None

    @property
    def input(self) -> dict[str, str | int | None]:
        """For a manifest: where its documents come from."""
        if self.file is None:
            return {"file": self.source.label, "begin": 0, "end": None}
        return {"file": self.file.uri, "begin": self.file.begin, "end": self.file.end}


class Surveyed(NamedTuple):
    """What is to be known of a block before others are read."""

    n_lines: int
    n_records: int
    ids: IntArray  # (n_records,) their hashes, 0 for none; empty if nothing can come twice


class Place(NamedTuple):
    """Of a block's documents among those of its source."""

    first_number: int
    first_line: int
    again: frozenset[int]  # documents, from 0, whose ids came before
    most: int | None = None  # documents that are wanted


def blocks_of(sources: Sequence[Source], block_bytes: int = BLOCK_BYTES) -> list[Block]:
    """All blocks of all sources, in order."""
    made: list[Block] = []
    for source_number, source in enumerate(sources):
        if source.config.data == "-":
            raise CorpusError(
                "standard input is here only, and others are to read it; save it to a file"
            )
        files = _files(source)
        pieces: list[SourceFile | None] = [None]
        if files is not None:
            pieces = [piece for file in files for piece in _pieces(file, source, block_bytes)]
        made += [
            Block(len(made) + place, source_number, source, piece)
            for place, piece in enumerate(pieces)
        ]
    return made


def survey(block: Block, bad_lines: BadLines) -> Surveyed:
    """Look through a block."""
    n_lines = 0

    def counted() -> Iterator[Record]:
        nonlocal n_lines
        for record in _raw(block, bad_lines):
            n_lines += 1
            yield record

    # Lines are named by their numbers, and what has no id by its own.
    are_lines = block.file is not None and block.file.format == "lines"
    ids = [_hash(record.id) for record in checked(counted(), bad_lines)]
    known = np.array(ids, dtype=np.int64)
    unique = are_lines or not known.any()
    return Surveyed(n_lines, len(ids), known[:0] if unique else known)


def places(blocks: Sequence[Block], found: Sequence[Surveyed], bad_lines: BadLines) -> list[Place]:
    """Where each block stands in its source."""
    made: list[Place] = []
    for begin, end in _runs([block.source_number for block in blocks]):
        source = blocks[begin].source
        sizes = np.array([each.n_records for each in found[begin:end]])
        first = np.concatenate([[0], np.cumsum(sizes)])
        again = _came_before(found[begin:end], first)
        if source.id_asked_for:
            for number in again:
                bad_lines.report(
                    f"{source.label}: document {number + 1}", "has the id of an earlier document"
                )
        line, file = 0, None
        wanted = source.config.limit
        for block, own, before in zip(blocks[begin:end], found[begin:end], first, strict=False):
            uri = block.file and block.file.uri
            line = line if uri == file else 0
            own_again = again[(again >= before) & (again < before + own.n_records)] - before
            kept = own.n_records - (len(own_again) if source.id_asked_for else 0)
            most = None if wanted is None else min(max(wanted, 0), kept)
            made.append(Place(int(before) + 1, line, frozenset(own_again.tolist()), most))
            wanted = None if wanted is None else wanted - kept
            line, file = line + own.n_lines, uri
    return made


def read_block(block: Block, place: Place) -> Iterator[Record]:
    """The documents of a block, with the ids that one reading of the whole source gives them."""
    are_lines = block.file is not None and block.file.format == "lines"

    def named() -> Iterator[Record]:
        records = checked(_raw(block, BadLines("skip")), BadLines("skip"))
        for ordinal, record in enumerate(records):
            own = record.id or str(place.first_number + ordinal)
            if are_lines and record.id:
                prefix, colon, line = record.id.rpartition(":")
                own = f"{prefix}{colon}{int(line) + place.first_line}"
            if ordinal in place.again:
                if block.source.id_asked_for:
                    continue
                own = f"{own}#{place.first_number + ordinal}"
            text = from_latex(record.text) if _has_latex(block.source) else record.text
            yield record._replace(id=own, text=text)

    return islice(named(), place.most)


def _files(source: Source) -> list[SourceFile] | None:
    """The files of a source; ``None`` if it is to be read as a whole."""
    path = source.path
    if source.is_remote:
        return remote_files(source.config)
    assert path is not None
    if source.is_prepared or is_archive(path):
        return None
    if not path.is_dir():
        form = required_format(path, source.config)
        return [SourceFile(str(path.absolute()), str(path), form, size=path.stat().st_size)]
    paths, form = choose_files(path, files_below(path), source.config)
    if form == "text" and source.config.on_bad_line == "skip":
        return None  # a file that cannot be read is skipped by whoever reads the folder
    return [
        SourceFile(
            str(each.absolute()),
            name := each.relative_to(path).as_posix(),
            form,
            f"{name}:" if form == "lines" else "",
            each.stat().st_size,
        )
        for each in paths
    ]


def _pieces(file: SourceFile, source: Source, block_bytes: int) -> list[SourceFile]:
    encoding = codecs.lookup(source.config.encoding or "utf-8").name
    cut = (
        file.format in LINE_FORMATS
        and encoding in _LINES_OF_BYTES
        and Path(file.uri.partition("?")[0]).suffix.lower() not in COMPRESSIONS
        and file.size > block_bytes
    )
    if not cut:
        return [file]
    begins = range(0, file.size, block_bytes)
    return [
        file._replace(
            begin=begin,
            end=min(begin + block_bytes, file.size),
            name=f"{file.name} from byte {begin + 1}" if begin else file.name,
        )
        for begin in begins
    ]


def _raw(block: Block, bad_lines: BadLines) -> Iterator[Record]:
    if block.file is None:
        return raw_records(block.source, bad_lines)
    return read_file(block.file, block.source.config, bad_lines)


def _has_latex(source: Source) -> bool:
    return bool(source.config.latex) and not source.is_prepared


def _came_before(found: Sequence[Surveyed], first: IntArray) -> IntArray:
    """The documents of a source, from 0, whose ids came before."""
    if not any(len(each.ids) for each in found):
        return np.empty(0, dtype=np.int64)
    known = np.zeros(int(first[-1]), dtype=np.int64)
    for each, begin in zip(found, first, strict=False):
        known[begin : begin + len(each.ids)] = each.ids
    for number in np.flatnonzero(known == 0):
        known[number] = _hash(str(number + 1))
    _, earliest, which = np.unique(known, return_index=True, return_inverse=True)
    return np.flatnonzero(earliest[which] != np.arange(len(known)))


def _hash(name: str | None) -> int:
    if not name:
        return 0
    digest = hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True) or 1


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Begin and end of each run of equal numbers."""
    begin = 0
    for place in range(1, len(numbers) + 1):
        if place == len(numbers) or numbers[place] != numbers[begin]:
            yield begin, place
            begin = place
