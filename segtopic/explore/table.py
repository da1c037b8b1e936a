"""The table of documents: topics and phrases of each document in, CSV or JSON lines out.

A row has the id, the columns of the input, the share of every topic under its name, that of common
words if the model keeps them apart, the best topic and the key phrases. An input column that has
one of these names gets ``(input)`` after it.

CSV is what people open in spreadsheets, which execute a cell that begins with ``=``, ``+``, ``-``
or ``@``. Such a cell gets an apostrophe before it, unless it is a plain number. JSON lines and
Parquet hold every text as it is.

>>> table = TableColumns(("year", "topic 2"), ("topic 1", "topic 2"))
>>> table.header[:4]
('id', 'year', 'topic 2 (input)', 'topic 1')
>>> row = DocumentRow("a", {"year": 2019, "topic 2": "=1+1"}, "new", (0.25, 0.75), 1, 7, ("x y",))
>>> print(CsvTable(table).rows([row]), end="")
a,2019,'=1+1,0.25,0.75,topic 2,7,x y,new
"""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from segtopic.harmless import for_spreadsheet

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
BETWEEN_PHRASES = "; "
COMMON = "common"
AFTER_TOPICS = ("best_topic", "best_topic_number", "key_phrases", "part")


@dataclass(frozen=True)
class DocumentRow:
    """A document of the table.

    Attributes:
        id: Of the document.
        columns: Of the input, by their names there.
        part: Of the run's corpus that it belongs to, or ``new``.
        shares: Of the topics, in the order of the table.
        best: Place of the largest; ``None`` for a document without known words.
        best_number: The model's number of it.
        key_phrases: Best first.
        common: Share of the words that all documents have, if they are kept apart.
    """

    id: str
    columns: Mapping[str, Any]
    part: str
    shares: tuple[float, ...]
    best: int | None
    best_number: int | None
    key_phrases: tuple[str, ...]
    common: float | None = None


@dataclass(frozen=True)
class TableColumns:
    """The columns of a table.

    Attributes:
        inputs: Those of the input.
        topics: Names of the topics, no two of them the same.
        common: Whether common words are kept apart from them.
    """

    inputs: tuple[str, ...]
    topics: tuple[str, ...]
    common: bool = False

    @property
    def after_topics(self) -> tuple[str, ...]:
        """What follows the topics."""
        return ((COMMON,) if self.common else ()) + AFTER_TOPICS

    @cached_property
    def topic_columns(self) -> tuple[str, ...]:
        """The names of topics, but for those that other columns have."""
        return _apart(self.topics, {"id", *self.after_topics}, " (topic)")

    @cached_property
    def input_columns(self) -> tuple[str, ...]:
        """The names of the input's columns in the table."""
        return _apart(self.inputs, {"id", *self.topic_columns, *self.after_topics}, " (input)")

    @cached_property
    def header(self) -> tuple[str, ...]:
        """All columns in their order."""
        return ("id", *self.input_columns, *self.topic_columns, *self.after_topics)

    def values(self, row: DocumentRow) -> tuple[Any, ...]:
        """The cells of a row in the order of the header, key phrases as a list."""
        return (
            row.id,
            *(row.columns.get(name) for name in self.inputs),
            *row.shares,
            *([row.common] if self.common else []),
            None if row.best is None else self.topics[row.best],
            row.best_number,
            list(row.key_phrases),
            row.part,
        )


def _apart(names: Sequence[str], taken: set[str], mark: str) -> tuple[str, ...]:
    """The names, each with marks after it until no other has it."""
    used, found = set(taken), []
    for name in names:
        while name in used:
            name += mark
        used.add(name)
        found.append(name)
    return tuple(found)


class TextTable(Protocol):
    """A table that is written as text, one piece after the other."""

    def begin(self) -> str:
        """What stands before the first row."""
        ...

    def rows(self, rows: Sequence[DocumentRow]) -> str:
        """Some rows."""
        ...


@dataclass(frozen=True)
class CsvTable:
    """Safe to open in a spreadsheet."""

    columns: TableColumns

    def begin(self) -> str:
        """The header."""
        return self._lines([self.columns.header])

    def rows(self, rows: Sequence[DocumentRow]) -> str:
        """Some rows."""
        return self._lines([self.columns.values(row) for row in rows])

    def _lines(self, rows: Sequence[Sequence[Any]]) -> str:
        output = io.StringIO()
        csv.writer(output, lineterminator="\n").writerows([map(_cell, row) for row in rows])
        return output.getvalue()


@dataclass(frozen=True)
class JsonLinesTable:
    """An object a line; nothing is changed."""

    columns: TableColumns

    def begin(self) -> str:
        """Nothing."""
        return ""

    def rows(self, rows: Sequence[DocumentRow]) -> str:
        """Some lines."""
        return "".join(
            json.dumps(
                dict(zip(self.columns.header, self.columns.values(row), strict=True)),
                ensure_ascii=False,
                default=str,
            )
            + "\n"
            for row in rows
        )


TEXT_TABLES: dict[str, Callable[[TableColumns], TextTable]] = {
    "csv": CsvTable,
    "jsonl": JsonLinesTable,
}


def plain(value: Any) -> str | int | float | bool | None:
    """A value of any column as one that a cell can hold: lists and objects as JSON."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    return json.dumps(value, ensure_ascii=False, default=str) if _is_nested(value) else str(value)


def _is_nested(value: Any) -> bool:
    return isinstance(value, (list, dict))


def _cell(value: Any) -> str | int | float | None:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        value = BETWEEN_PHRASES.join(value)
    value = plain(value)
    if isinstance(value, str) and not NUMBER.fullmatch(value):
        return for_spreadsheet(value)
    return value
