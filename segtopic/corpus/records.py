"""What readers give: documents with an id and a place, and what they could not read."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from segtopic.corpus.seen import SeenIds
from segtopic.errors import CorpusError

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Record(NamedTuple):
    """A document as it was read; ``id`` is ``None`` where the source has no ids."""

    id: str | None
    text: str
    place: str


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
            record = record._replace(text=_LONE_SURROGATE.sub("\ufffd", text))
        if record.id and not record.id.isascii():
            record = record._replace(id=_LONE_SURROGATE.sub("\ufffd", record.id))
        yield record


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
