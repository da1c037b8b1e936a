"""Values of a column made comparable: dates become times, names become groups, in order.

>>> times(["2019-03-01", 2020, "2019"], "date").labels
('2019', '2020')
>>> times(["2019-03-01", "2019-11-30"], "date", "quarter").labels
('2019-Q1', '2019-Q4')
>>> times([2016, 2017, 2017, 2018, 2019], "year", "2").labels
('2016-2017', '2018-2019')
>>> groups(["b", "a", "b", "c", None], "venue", most=1)
Binned(column='venue', labels=('b', 'others'), place=array([ 0,  1,  0,  1, -1]), unread=())
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from segtopic.corpus.documents import IntArray
from segtopic.errors import ConfigError

NOWHERE = -1
MOST_GROUPS = 12
OTHERS = "others"
TOLD, LONGEST_TOLD = 3, 40  # values that are no times, and their letters
BINS = ("year", "decade", "quarter", "month")
_DATE = re.compile(r"(\d{4})(?:\.0)?(?:[-/](\d{1,2})(?:[-/](\d{1,2})(?:[T ].*)?)?)?")


class Time(NamedTuple):
    """A date as far as it is known; zero for what is not."""

    year: int
    month: int = 0
    day: int = 0


@dataclass(frozen=True, eq=False)
class Binned:
    """Which value each document has.

    Attributes:
        column: What the values are.
        labels: Of the values, in order.
        place: ``(D,)`` of a document's value among them; ``NOWHERE`` if it has none.
        unread: Some values that are left out, because they are no times.
    """

    column: str
    labels: tuple[str, ...]
    place: IntArray
    unread: tuple[str, ...] = ()

    @property
    def counts(self) -> tuple[int, ...]:
        """Documents of each value."""
        known = self.place[self.place != NOWHERE]
        return tuple(np.bincount(known, minlength=len(self.labels)).tolist())


def times(values: Sequence[Any], column: str, bins: str = "year") -> Binned:
    """Years or ISO dates by year, by another unit, or in so many bins of about equal size.

    Args:
        values: one a document; nothing (``None``, an empty text, not a number) has no time. Where
            most others are times, those that are none are left out.
        column: what they are called.
        bins: year, decade, quarter, month, or a number of bins.
    """
    told = [None if _is_nothing(value) else str(value).strip() for value in values]
    if not any(told):
        raise ConfigError(f"no document has a value in '{column}'; name another column")
    found = [None if text is None else _time(text) for text in told]
    unread = [text for text, time in zip(told, found, strict=True) if text and time is None]
    if 2 * len(unread) > sum(text is not None for text in told):
        raise ConfigError(
            f"'{unread[0][:LONGEST_TOLD]}' in '{column}' is neither a year nor a date such as "
            "2019-03-01; use it as a group, or write dates so"
        )
    there = sorted({time for time in found if time is not None})
    if bins in BINS:
        by_time = {time: _named(time, bins, column) for time in there}
    elif bins.isdecimal() and int(bins) >= 1:
        by_time = _equal_bins(there, Counter(time for time in found if time), int(bins))
    else:
        raise ConfigError(
            f"--time-bins is '{bins}', but must be one of {', '.join(BINS)}, or a number of bins"
        )
    labels = tuple(dict.fromkeys(by_time[time] for time in there))
    binned = _binned(column, labels, [None if time is None else by_time[time] for time in found])
    some = tuple(text[:LONGEST_TOLD] for text in dict.fromkeys(unread))[:TOLD]
    return replace(binned, unread=some)


def groups(values: Sequence[Any], column: str, most: int = MOST_GROUPS) -> Binned:
    """The groups with most documents, the largest first; all others together after them."""
    if most < 1:
        raise ConfigError(f"--max-groups is {most}, but must be at least 1")
    names = [None if _is_nothing(value) else str(value) for value in values]
    counts = Counter(name for name in names if name is not None)
    if not counts:
        raise ConfigError(f"no document has a value in '{column}'; name another column")
    order = sorted(counts, key=lambda name: (-counts[name], name))
    shown, rest = order[:most], set(order[most:])
    labels = (*shown, *([OTHERS] if rest else []))
    if OTHERS in shown and rest:
        labels = (*shown, f"{OTHERS} (together)")
    return _binned(column, labels, [labels[-1] if name in rest else name for name in names])


def _binned(column: str, labels: tuple[str, ...], names: Sequence[str | None]) -> Binned:
    numbers: dict[str | None, int] = {label: place for place, label in enumerate(labels)}
    place = np.array([numbers.get(name, NOWHERE) for name in names], dtype=np.int64)
    return Binned(column, labels, place)


def _is_nothing(value: Any) -> bool:
    return value is None or value != value or str(value).strip() in ("", "NaT")


def _time(text: str) -> Time | None:
    """Of a year or a date; ``None`` if it is neither."""
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    time = Time(*(int(part or 0) for part in found.groups()))
    return time if time.month <= 12 and time.day <= 31 else None


def _named(time: Time, bins: str, column: str) -> str:
    if bins == "year":
        return f"{time.year}"
    if bins == "decade":
        return f"{time.year // 10 * 10}s"
    if not time.month:
        raise ConfigError(
            f"'{column}' has years without months, so it cannot be shown by {bins}; "
            "pass --time-bins year"
        )
    if bins == "quarter":
        return f"{time.year}-Q{(time.month + 2) // 3}"
    return f"{time.year}-{time.month:02}"


def _equal_bins(there: Sequence[Time], counts: Counter[Time], n_bins: int) -> dict[Time, str]:
    """Runs of times with about as many documents each; a time is never cut."""
    ends = np.cumsum([counts[time] for time in there])
    middles = ends - np.diff(ends, prepend=0) / 2
    bins = np.minimum((middles * n_bins / ends[-1]).astype(int), n_bins - 1).tolist()
    labels = {}
    for number in sorted(set(bins)):
        inside = [time for time, own in zip(there, bins, strict=True) if own == number]
        first, last = _written(inside[0]), _written(inside[-1])
        between = "-" if len(first) == len(last) == 4 else " to "
        label = first if first == last else f"{first}{between}{last}"
        labels.update(dict.fromkeys(inside, label))
    return labels


def _written(time: Time) -> str:
    return "-".join([f"{time.year:04}", *(f"{part:02}" for part in time[1:] if part)])
