"""Readers of tables: CSV, TSV, JSON lines and Parquet, with a text column or several.

CSV is read by the standard library and not by pandas, which fills short rows up in silence and
cannot tell the line of a long one once it reads in chunks.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from segtopic.config import SourceConfig
from segtopic.corpus.records import BadLines, Record
from segtopic.corpus.textfiles import decoded_lines, open_bytes
from segtopic.errors import CorpusError

# An empty line, which ends a span: a title and an abstract are not one sentence.
BETWEEN_COLUMNS = "\n\n"
# What programs write, in any case, where there is nothing.
MISSING = frozenset(("nan", "null", "none", "n/a", "na", "<na>", "#n/a", "nat"))


def choose_columns(
    there: Sequence[str], config: SourceConfig, place: str
) -> tuple[tuple[str, ...], str | None]:
    """The text columns and the id column of a table with these columns."""
    listed = ", ".join(map(str, there)) or "none"
    if config.text_column is not None:
        text_columns = tuple(config.text_column)
    elif "text" in there or len(there) == 1:
        text_columns = ("text" if "text" in there else there[0],)
    else:
        raise CorpusError(
            f"{place} has no column 'text'; name the text with --text-column, "
            f"the columns are: {listed}"
        )
    id_column = config.id_column or ("id" if "id" in there else None)
    for column, flag in (*((c, "--text-column") for c in text_columns), (id_column, "--id-column")):
        if column is not None and column not in there:
            raise CorpusError(f"{place} has no column '{column}' ({flag}); it has: {listed}")
    return text_columns, id_column


def read_csv(
    path: Path | None, name: str, config: SourceConfig, bad_lines: BadLines, delimiter: str = ","
) -> Iterator[Record]:
    """A row a document, after a row with the names of the columns."""
    csv.field_size_limit(2**31 - 1)
    with open_bytes(path) as stream:
        lines = decoded_lines(stream, name, config.encoding or "utf-8")
        first = next(lines, "")
        if delimiter not in first:  # where the comma is a decimal point, ';' separates
            delimiter = max(delimiter + ";\t|", key=first.count)
        rows = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
        try:
            header = next(rows, None)
        except csv.Error as error:
            raise CorpusError(f"{name}: line 1 is not a row of column names ({error})") from None
        if not header:
            return
        text_columns, id_column = choose_columns(header, config, f"{name}: line 1")
        text_at = [header.index(column) for column in text_columns]
        id_at = header.index(id_column) if id_column else None
        while True:
            line = rows.line_num + 1
            place = f"{name}: line {line}"
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                reason = f"is not a row of the table ({error})"
                if "unexpected end" in str(error):
                    reason = "opens a quotation mark that is never closed"
                bad_lines.report(place, reason)
                continue
            if not row:
                continue
            if len(row) != len(header):
                bad_lines.report(place, f"has {len(row)} fields instead of {len(header)}")
                continue
            row_id = row[id_at] if id_at is not None else None
            others = _others(zip(header, row, strict=True), id_column, config)
            yield _record(row_id, [row[i] for i in text_at], place, config, others)


def read_tsv(
    path: Path | None, name: str, config: SourceConfig, bad_lines: BadLines
) -> Iterator[Record]:
    """As CSV, with tabs."""
    return read_csv(path, name, config, bad_lines, delimiter="\t")


def read_jsonl(
    path: Path | None, name: str, config: SourceConfig, bad_lines: BadLines
) -> Iterator[Record]:
    """A JSON object a line."""
    columns: tuple[tuple[str, ...], str | None] | None = None
    with open_bytes(path) as stream:
        lines = decoded_lines(stream, name, config.encoding or "utf-8")
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            place = f"{name}: line {number}"
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                bad_lines.report(place, f"is not JSON ({error})")
                continue
            if not isinstance(row, dict):
                bad_lines.report(place, f"is not a JSON object but a {type(row).__name__}")
                continue
            if columns is None:
                columns = choose_columns(list(row), config, place)
            text_columns, id_column = columns
            missing = [c for c in (*text_columns, id_column) if c is not None and c not in row]
            if missing:
                bad_lines.report(place, f"has no '{missing[0]}'; it has: {', '.join(row)}")
                continue
            texts = [_as_text(row[column]) for column in text_columns]
            if None in texts:
                column = text_columns[texts.index(None)]
                bad_lines.report(place, f"has no text in '{column}' but a list or an object")
                continue
            row_id = _as_text(row[id_column]) if id_column else None
            others = _others(row.items(), id_column, config)
            yield _record(row_id, [t for t in texts if t is not None], place, config, others)


def read_parquet(
    path: Path | None, name: str, config: SourceConfig, bad_lines: BadLines
) -> Iterator[Record]:
    """A row a document."""
    import pyarrow as pa
    import pyarrow.parquet

    if path is None:
        raise CorpusError(
            "Parquet cannot be read from standard input; save it to a file and give its name"
        )
    try:
        with pa.parquet.ParquetFile(path) as file:
            text_columns, id_column = choose_columns(file.schema_arrow.names, config, name)
            wanted = list(dict.fromkeys([*text_columns, *([id_column] if id_column else [])]))
            number = 0
            columns = None if config.other_columns else wanted
            for batch in file.iter_batches(batch_size=1024, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    place = f"{name}: row {number}"
                    texts = [_as_text(row[column]) for column in text_columns]
                    if None in texts:
                        column = text_columns[texts.index(None)]
                        bad_lines.report(place, f"has no text in '{column}'")
                        continue
                    row_id = _as_text(row[id_column]) if id_column else None
                    others = _others(row.items(), id_column, config)
                    cells = [t for t in texts if t is not None]
                    yield _record(row_id, cells, place, config, others)
    except OSError as error:
        raise CorpusError(f"{name}: cannot be read ({error})") from None
    except pa.ArrowException as error:
        raise CorpusError(
            f"{name}: is not a whole Parquet file ({str(error).splitlines()[0]}); "
            "write it again or pass the right --input-format"
        ) from None


def _record(
    row_id: str | None,
    cells: Sequence[str],
    place: str,
    config: SourceConfig,
    others: dict[str, Any] | None,
) -> Record:
    """The document of a row, in which a cell that says that it is missing holds nothing."""
    missing = 0
    if config.missing_cells == "empty":
        kept = ["" if cell.strip().lower() in MISSING else cell for cell in cells]
        missing = sum(cell != "" for cell in cells) - sum(cell != "" for cell in kept)
        cells = kept
    return Record(row_id, BETWEEN_COLUMNS.join(cells), place, missing, others)


def _others(
    row: Iterable[tuple[str, Any]], id_column: str | None, config: SourceConfig
) -> dict[str, Any] | None:
    """All columns of a row but the id, if they are wanted."""
    if not config.other_columns:
        return None
    return {column: value for column, value in row if column != id_column}


def _as_text(value: Any) -> str | None:
    """Nothing is an empty text; numbers are spelt out; ``None`` for what cannot be text."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return None if isinstance(value, (list, dict, bytes)) else str(value)
