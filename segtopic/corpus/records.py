"""Documents on their way from the readers: checked, with ids of their own, cut into batches.

>>> records = [Record("a", "New York", ""), Record("a", "Rome", ""), Record(None, "Bonn", "")]
>>> [record.id for record in with_own_ids(records, False, BadLines(), DuplicateIds())]
['a', 'a#2', '3']
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from segtopic.errors import CorpusError

# Sorting in so many at once takes a few milliseconds for each million ids that came before.
MOST_LATEST = 1 << 14


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class SeenIds:
    """Whether an id came before; the one thing that is kept for every document of a corpus.

    A set of a million ids takes some 90 MB, and a set of their hashes 65 MB. Here an id takes eight
    bytes: those that came long ago are a sorted array of 64-bit hashes, of which no two are equal
    by chance in any real corpus, and only the latest are in a set.

    >>> seen = SeenIds()
    >>> [seen.add(each) for each in ("a", "b", "a")]
    [True, True, False]
    """

    def __init__(self) -> None:
        self._latest: set[int] = set()
        self._earlier = array("q")  # sorted

    def add(self, document_id: str) -> bool:
        """Remember an id; ``False`` if it was known."""
        key = hash(document_id)
        if key in self._latest:
            return False
        earlier = self._earlier
        place = bisect_left(earlier, key)
        if place < len(earlier) and earlier[place] == key:
            return False
        self._latest.add(key)
        if len(self._latest) == MOST_LATEST:
            self._sort_in()
        return True

    def _sort_in(self) -> None:
        self._earlier.extend(self._latest)
        self._latest.clear()
        np.frombuffer(self._earlier, dtype=np.int64).sort(kind="stable")  # in place


class Record(NamedTuple):
    """A document as it was read; ``id`` is ``None`` where the source has no ids.

    ``missing_cells`` are those of its text that said NaN or the like, and were read as empty.
    ``columns`` are those of a table's row but the id, if the settings ask for them.
    """

    id: str | None
    text: str
    place: str
    missing_cells: int = 0
    columns: Mapping[str, Any] | None = None


@dataclass
class BadLines:
    """What is done with a line, row or file that cannot be read, and what was skipped so far."""

    policy: Literal["error", "skip"] = "error"
    count: int = 0
    examples: list[str] = field(default_factory=list)

    def report(self, place: str, reason: str) -> None:
        """Raise, or count and remember the first few."""
        if self.policy == "error":
            raise CorpusError(f"{place} {reason}; fix it, or pass --on-bad-line skip")
        self.count += 1
        if len(self.examples) < 3:
            self.examples.append(f"{place} {reason}")


def checked(records: Iterable[Record], bad_lines: BadLines) -> Iterator[Record]:
    """Refuse text with NUL bytes, and make every text fit for UTF-8.

    JSON can hold half of a surrogate pair, which no file can store; it becomes U+FFFD, one
    character for one, so that offsets stay true.
    """
    for record in records:
        text = record.text
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0"))
            within = f" (line {line + 1} of the text)" if line else ""
            bad_lines.report(
                record.place, f"holds a NUL byte{within}: this looks like binary data, not text"
            )
            continue
        if not text.isascii() and _LONE_SURROGATE.search(text):
            record = record._replace(text=storable(text))
        if record.id and not record.id.isascii():
            record = record._replace(id=storable(record.id))
        yield record


def storable(text: str) -> str:
    """A text with U+FFFD in place of every half of a surrogate pair.

    >>> storable("a\\ud800b")
    'a\ufffdb'
    """
    return _LONE_SURROGATE.sub("\ufffd", text)


@dataclass
class DuplicateIds:
    """How many ids came twice, with the first few."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


def with_own_ids(
    records: Iterable[Record], asked_for: bool, bad_lines: BadLines, duplicates: DuplicateIds
) -> Iterator[Record]:
    """Number the documents without an id, and deal with ids that come twice.

    Where the user named the column, a second document of the same id is a bad line. Where the
    column was found by itself, the document is kept and its id gets a number.
    """
    seen = SeenIds()
    for number, record in enumerate(records, 1):
        own = record.id or str(number)
        if not seen.add(own):
            if asked_for:
                bad_lines.report(record.place, f"has the id '{own}' of an earlier document")
                continue
            duplicates.count += 1
            if len(duplicates.examples) < 3:
                duplicates.examples.append(own)
            own = f"{own}#{number}"
            while not seen.add(own):
                own += "'"
        yield record._replace(id=own)


Item = TypeVar("Item")


def batches(
    items: Iterable[Item],
    size: Callable[[Item], int],
    most_characters: int,
    most_items: int | None = None,
) -> Iterator[list[Item]]:
    """Runs of documents that fit into memory, in order; one that is too long is a run of its own.

    >>> [len(batch) for batch in batches(["a" * 9, "b", "c", "d"], len, 10, most_items=2)]
    [2, 2]

    Args:
        items: the documents.
        size: the characters of a document.
        most_characters: of a batch.
        most_items: documents of a batch, however short they are.
    """
    batch: list[Item] = []
    characters = 0
    for item in items:
        if batch and (len(batch) == most_items or characters + size(item) > most_characters):
            yield batch
            batch, characters = [], 0
        batch.append(item)
        characters += size(item)
    if batch:
        yield batch
