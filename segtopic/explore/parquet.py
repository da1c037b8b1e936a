"""The table of documents as Parquet: rows in, one whole file out.

Types must be known before the first row is written, and a stream tells them with its last one. So
the columns of the input go to a scratch file as text, in bounded memory, and become numbers on
their way into the Parquet file if nothing else was met in them.
"""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from segtopic.errors import OutputError
from segtopic.explore.table import AFTER_TOPICS, DocumentRow, TableColumns, plain
from segtopic.files.whole import REMEDY, not_writable

LARGEST_INTEGER = 2**63 - 1
AFTER_TYPES = (pa.string(), pa.int32(), pa.list_(pa.string()), pa.string())


class ParquetTable:
    """A table that is there as a whole or not at all.

    Args:
        path: of the file.
        columns: of the table.
        overwrite: replace what is there.
    """

    def __init__(self, path: Path, columns: TableColumns, overwrite: bool) -> None:
        if path.is_dir() or (path.exists() and not overwrite):
            raise OutputError(f"{path}: is there already; pass --overwrite, or another --out")
        self._path, self._columns = path, columns
        self._kinds: list[pa.DataType] = [pa.null()] * len(columns.inputs)
        self._scratch = path.with_name(f".{path.name}.rows.tmp")
        self._whole = path.with_name(f".{path.name}.tmp")
        self._schema = self._schema_of([pa.string()] * len(columns.inputs))
        try:
            self._writer = pa.ipc.new_stream(str(self._scratch), self._schema)
        except OSError as error:
            raise not_writable(path, error) from None

    def write(self, rows: Sequence[DocumentRow]) -> None:
        """Some rows."""
        columns = list(zip(*map(self._columns.values, rows), strict=True))
        first, last = 1, 1 + len(self._kinds)
        for place in range(first, last):
            values = [plain(value) for value in columns[place]]
            self._kinds[place - first] = _common(self._kinds[place - first], values)
            columns[place] = tuple(None if value is None else str(value) for value in values)
        arrays = [
            pa.array(column, kind) for column, kind in zip(columns, self._schema.types, strict=True)
        ]
        try:
            self._writer.write_batch(pa.record_batch(arrays, schema=self._schema))
        except OSError as error:
            raise not_writable(self._path, error) from None

    def _schema_of(self, kinds: Sequence[pa.DataType]) -> pa.Schema:
        topics = [pa.float64()] * len(self._columns.topics)
        common = [pa.float64()] * self._columns.common
        types = (pa.string(), *kinds, *topics, *common, *AFTER_TYPES)
        return pa.schema(list(zip(self._columns.header, types, strict=True)))

    def _finish(self) -> None:
        """Text becomes numbers where it can, batch by batch."""
        kinds = [pa.string() if kind == pa.null() else kind for kind in self._kinds]
        schema = self._schema_of(kinds)
        with (
            pa.OSFile(str(self._scratch)) as file,
            pa.ipc.open_stream(file) as rows,
            pq.ParquetWriter(self._whole, schema) as writer,
        ):
            for batch in rows:
                writer.write_batch(batch.cast(schema))
        self._whole.replace(self._path)

    def __enter__(self) -> "ParquetTable":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Without an error the file is whole and gets its name."""
        try:
            self._writer.close()
            if kind is None:
                self._finish()
        except OSError as failure:
            raise not_writable(self._path, failure, f"{REMEDY}; nothing was kept") from None
        finally:
            self._scratch.unlink(missing_ok=True)
            self._whole.unlink(missing_ok=True)


def _common(kind: pa.DataType, values: Sequence[Any]) -> pa.DataType:
    """The narrowest type for what came before and these values."""
    for value in values:
        if value is None or kind == pa.string():
            continue
        found = _type_of(value)
        if kind in (pa.null(), found):
            kind = found
        elif {kind, found} == {pa.int64(), pa.float64()}:
            kind = pa.float64()
        else:
            kind = pa.string()
    return kind


def _type_of(value: Any) -> pa.DataType:
    if isinstance(value, bool):
        return pa.bool_()
    if isinstance(value, int) and abs(value) <= LARGEST_INTEGER:
        return pa.int64()
    return pa.float64() if isinstance(value, float) else pa.string()


assert len(AFTER_TYPES) == len(AFTER_TOPICS)
