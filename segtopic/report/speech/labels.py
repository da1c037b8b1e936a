"""Where the text of a label stands, so that no two of them overlap.

A label has a field as long as its segment. Its text stands in the field if there is room, else in
smaller letters; else below the field on the first level that is free there; else nowhere, and only
the page tells it where the reader points.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from segtopic.report.speech.lettering import shortened, width_of

SIZE, SMALL = 13, 11
PADDING = 3
N_LEVELS = 4
BETWEEN = 6  # units between two texts of a level


class Stretch(NamedTuple):
    """A text and its seconds."""

    text: str
    begin: float
    end: float


@dataclass(frozen=True)
class Label:
    """A text over a stretch of time.

    Attributes:
        text: All of it.
        begin: In seconds.
        end: In seconds.
        x: Of the field.
        width: Of the field.
        written: What is drawn of the text; empty if there is no room for it.
        middle: Of the text.
        size: Of the letters.
        level: 0 in the field, others below it.
    """

    text: str
    begin: float
    end: float
    x: float
    width: float
    written: str
    middle: float
    size: int
    level: int


class _Below(NamedTuple):
    """A text below its field, and the line that leads to it."""

    begin: float
    end: float
    leader: float
    level: int

    def crosses(self, other: "_Below") -> bool:
        """Whether its text, or the line to it, runs into the text of another."""
        if self.level == other.level:
            return self.begin < other.end + BETWEEN and other.begin < self.end + BETWEEN
        higher, lower = (self, other) if self.level < other.level else (other, self)
        return higher.begin - 1 < lower.leader < higher.end + 1


def place_labels(
    some: Sequence[Stretch], x: Callable[[float], float], left: float, right: float
) -> list[Label]:
    """Labels of one row.

    Args:
        some: in the order of time.
        x: the place of a second.
        left: where the row begins.
        right: where it ends.
    """
    placed, below = list[Label](), list[_Below]()
    # From the end: a text below its field stands at the right of its line, and so over those
    # that come after it, whose lines are shorter.
    for text, begin, end in reversed(some):
        field, width = x(begin), round(x(end) - x(begin), 1)
        written, middle = shortened(text), field + width / 2
        size = SIZE if room_for(written, SIZE) <= width else SMALL
        level = 0
        if room_for(written, SMALL) > width:
            free = _free_place(written, middle, left, right, below)
            if free is None:
                written = ""
            else:
                below.append(free)
                middle, level = (free.begin + free.end) / 2, free.level
        placed.append(Label(text, begin, end, field, width, written, round(middle, 1), size, level))
    return placed[::-1]


def _free_place(
    text: str, leader: float, left: float, right: float, below: Sequence[_Below]
) -> _Below | None:
    width = width_of(text, SMALL)
    begin = max(min(leader - PADDING, right - width), left)
    for level in range(1, N_LEVELS + 1):
        place = _Below(begin, begin + width, leader, level)
        if not any(place.crosses(other) for other in below):
            return place
    return None


def room_for(text: str, size: int) -> float:
    """The width of a field that holds the text."""
    return width_of(text, size) + 2 * PADDING
