"""A list of one's own recordings: CSV, TSV or JSON lines with a file and a transcript for each.

    audio,transcript,part,speaker
    clips/a.wav,good morning,train,ann

Columns: ``audio`` (a path, or several with semicolons between them) or ``features`` (a ``.npy``
file of ``(frames, numbers)``); ``transcript``; and if they are known ``phones`` (with spaces
between them), ``part`` ('train' if not given), ``speaker`` and ``name`` (or ``id``). Others are not
looked at. In JSON, ``audio`` and ``phones`` may be lists. Paths are relative to the list.
"""

import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from segtopic.corpus.records import storable
from segtopic.errors import CorpusError
from segtopic.speech.bad_files import BadFiles
from segtopic.speech.feature_files import read_feature_file
from segtopic.speech.recordings import TRAIN, Recording, transcript

DELIMITERS = {".csv": ",", ".tsv": "\t"}
SUFFIXES = (*DELIMITERS, ".jsonl")
FILES = ("audio", "features")
COLUMNS = (*FILES, "transcript", "phones", "part", "speaker", "name", "id")
LISTED = ("audio", "phones")
Cell = str | list[str]


def is_manifest(path: Path) -> bool:
    """Whether it is a list by its name."""
    return path.suffix.lower() in SUFFIXES


def read_manifest(path: Path, bad_files: BadFiles) -> Iterator[Recording]:
    """A recording for each line.

    Args:
        path: of the list.
        bad_files: what to do with lines whose files cannot be used; any other mistake in the list
            is an error.
    """
    names: set[str] = set()
    for number, row in _rows(path):
        place = f"{path}: line {number}"
        if bool(row.get("audio")) == bool(row.get("features")):
            raise CorpusError(f"{place}: must name either audio or features")
        name = _joined(next(row[key] for key in ("name", "id", *FILES) if row.get(key)), ";")
        if name in names:
            raise CorpusError(f"{place}: '{name}' comes again; give every recording its own name")
        names.add(name)
        try:
            yield _recording(name, row, path.parent)
        except CorpusError as error:
            bad_files.report(CorpusError(f"{place}: {error}"))


def _recording(name: str, row: dict[str, Cell], folder: Path) -> Recording:
    texts = {key: _joined(cell, " ") for key, cell in row.items()}
    features = texts.get("features")
    return Recording(
        name,
        texts.get("part") or TRAIN,
        texts.get("speaker", ""),
        words=transcript(texts.get("transcript", "")),
        phones=tuple(texts.get("phones", "").split()) or None,
        audio=_sounds(row.get("audio", ""), folder),
        features=read_feature_file(folder / features) if features else None,
    )


def _sounds(cell: Cell, folder: Path) -> tuple[Path, ...]:
    """All files of a cell; a name may have a semicolon in it, if there is such a file."""
    if isinstance(cell, str):
        cell = [cell] if os.path.isfile(folder / cell) else cell.split(";")
    paths = tuple(folder / each.strip() for each in cell if each.strip())
    if cell and cell != [""] and not paths:
        raise CorpusError("its audio names no file")
    for path in paths:
        if not os.path.exists(path):
            raise CorpusError(f"{path}: there is no such file")
    return paths


def _joined(cell: Cell, separator: str) -> str:
    return cell if isinstance(cell, str) else separator.join(cell)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Cell]]]:
    """The lines that are not empty, with their numbers."""
    delimiter = DELIMITERS.get(path.suffix.lower())
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from _table(path, file, delimiter) if delimiter else _objects(path, file)
    except (OSError, UnicodeError) as error:
        raise CorpusError(f"{path}: cannot be read ({error})") from None


def _table(path: Path, file: TextIO, delimiter: str) -> Iterator[tuple[int, dict[str, Cell]]]:
    rows = csv.reader(file, delimiter=delimiter, strict=True)
    header: list[str] | None = None
    while True:
        number = rows.line_num + 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise CorpusError(
                f"{path}: line {number}: is no row of a table ({error}); write a quotation mark "
                "twice, and the whole cell between two more"
            ) from None
        if header is None:
            header = [name.strip().lower() for name in row]
            if not set(FILES) & set(header):
                raise CorpusError(
                    f"{path}: line {number}: names no column 'audio' or 'features', only "
                    f"{', '.join(header)}"
                )
        elif len(row) > len(header):
            raise CorpusError(
                f"{path}: line {number}: has {len(row)} cells, but there are {len(header)} "
                "columns; put a text with such a separator in quotation marks"
            )
        elif row:
            yield number, {name: cell.strip() for name, cell in zip(header, row, strict=False)}


def _objects(path: Path, file: TextIO) -> Iterator[tuple[int, dict[str, Cell]]]:
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        place = f"{path}: line {number}"
        try:
            row = json.loads(line.rstrip())
        except json.JSONDecodeError as error:
            reason = f"{error.msg} at column {error.colno}"
            raise CorpusError(f"{place}: is not JSON ({reason})") from None
        except (ValueError, RecursionError) as error:
            raise CorpusError(f"{place}: is not JSON ({error})") from None
        if not isinstance(row, dict):
            raise CorpusError(f"{place}: is not a JSON object but a {type(row).__name__}")
        yield number, {key: _cell(row[key], key, place) for key in COLUMNS if key in row}


def _cell(value: Any, key: str, place: str) -> Cell:
    """Nothing is an empty text, and numbers are spelt out."""
    if key in LISTED and isinstance(value, list):
        return [_text(each, key, place) for each in value]
    return _text(value, key, place)


def _text(value: Any, key: str, place: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        also = " or a list of texts" if key in LISTED else ""
        raise CorpusError(f"{place}: '{key}' must be a text{also}")
    return storable(str(value).strip())
