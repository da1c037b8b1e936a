"""Topics over time or by group: shares with intervals and phrases, one entry a value.

A value is a year, or a venue. :mod:`segtopic.explore.changing` computes them; whoever has shares of
their own can make the same of plain lists, and show them on the page.

>>> changes = Changes.of(
...     {
...         "column": "year",
...         "values": ["2014", "2015"],
...         "documents": [120, 140],
...         "topics": [
...             {
...                 "topic": 3,
...                 "share": [0.1, 0.3],
...                 "low": [0.05, 0.2],
...                 "high": [0.2, 0.4],
...                 "phrases": [["neural network"], ["large language models"]],
...             }
...         ],
...     }
... )
>>> changes.topics[0].share
(0.1, 0.3)
"""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from segtopic.errors import ConfigError
from segtopic.harmless import for_spreadsheet

if TYPE_CHECKING:  # slow to import
    import pandas as pd


@dataclass(frozen=True)
class TopicChange:
    """One topic.

    Attributes:
        topic: The model's number of it.
        share: Of the documents of each value; not a number where there is no document.
        low: Lower end of the interval of each.
        high: Upper end.
        phrases: The topic's phrases in the documents of each value, best first; may be empty.
        name: What it is called; the page has its own names.
    """

    topic: int
    share: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    phrases: tuple[tuple[str, ...], ...]
    name: str = ""

    @property
    def change(self) -> float:
        """From the first value to the last."""
        return self.share[-1] - self.share[0]

    @property
    def range(self) -> float:
        """How far apart its smallest and its largest share are."""
        known = [share for share in self.share if math.isfinite(share)]
        return max(known, default=0.0) - min(known, default=0.0)

    @property
    def is_certain(self) -> bool:
        """Whether the intervals of the first and the last value do not meet."""
        return self.low[-1] > self.high[0] or self.high[-1] < self.low[0]


@dataclass(frozen=True)
class Changes:
    """All topics over the same values.

    Attributes:
        values: Times in their order, or groups.
        topics: In any order.
        column: What the values are, as ``year``; empty if unknown.
        documents: How many have each value; empty if unknown.
        without: How many have none, and are left out.
        unread: Some values of those, where they have one that is no time.
    """

    values: tuple[str, ...]
    topics: tuple[TopicChange, ...]
    column: str = ""
    documents: tuple[int, ...] = ()
    without: int = 0
    unread: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.documents and len(self.documents) != len(self.values):
            raise ConfigError(_unequal("documents", self.documents, self.values))
        for topic in self.topics:
            for name in ("share", "low", "high", "phrases"):
                entries = getattr(topic, name)
                if len(entries) != len(self.values):
                    raise ConfigError(
                        f"topic {topic.topic}: {_unequal(name, entries, self.values)}"
                    )

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "Changes":
        """From plain lists, as :meth:`to_dict` makes them; ``values`` and ``topics`` must be."""
        return cls(
            values=tuple(map(str, content["values"])),
            topics=tuple(_topic(topic) for topic in content["topics"]),
            column=str(content.get("column", "")),
            documents=tuple(map(int, content.get("documents", ()))),
            without=int(content.get("without", 0)),
            unread=tuple(map(str, content.get("unread", ()))),
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it, and as the page takes it."""
        return {
            "column": self.column,
            "values": list(self.values),
            "documents": list(self.documents),
            "without": self.without,
            "unread": list(self.unread),
            "topics": [
                {
                    key: [list(each) if isinstance(each, tuple) else each for each in value]
                    if isinstance(value, tuple)
                    else value
                    for key, value in asdict(topic).items()
                }
                for topic in self.topics
            ],
        }

    def to_frame(self) -> "pd.DataFrame":
        """A row for each topic and value."""
        import pandas as pd

        return pd.read_csv(io.StringIO(self.to_csv()), dtype={"value": str}, keep_default_na=False)

    def to_csv(self) -> str:
        """A line for each topic and value, safe to open in a spreadsheet."""
        content = io.StringIO()
        writer = csv.writer(content, lineterminator="\n")
        header = ("column", "value", "documents", "topic", "name", "share", "low", "high")
        writer.writerow((*header, "phrases"))
        for topic in self.topics:
            for place, value in enumerate(self.values):
                names = map(for_spreadsheet, (self.column, value))
                figures = (topic.share[place], topic.low[place], topic.high[place])
                writer.writerow(
                    (
                        *names,
                        self.documents[place] if self.documents else "",
                        topic.topic,
                        for_spreadsheet(topic.name),
                        *(round(figure, 6) for figure in figures),
                        for_spreadsheet("; ".join(topic.phrases[place])),
                    )
                )
        return content.getvalue()


def _topic(content: Mapping[str, Any]) -> TopicChange:
    return TopicChange(
        topic=int(content["topic"]),
        share=tuple(map(float, content["share"])),
        low=tuple(map(float, content["low"])),
        high=tuple(map(float, content["high"])),
        phrases=tuple(tuple(map(str, phrases)) for phrases in content["phrases"]),
        name=str(content.get("name", "")),
    )


def _unequal(name: str, entries: Sequence[Any], values: Sequence[str]) -> str:
    return f"'{name}' has {len(entries)} entries for {len(values)} values; give one for each"


def sparkline(shares: Sequence[float]) -> str:
    """A share for each value as a bar, the largest at full height.

    >>> sparkline([0.0, 0.1, 0.4])
    '▁▃█'
    """
    bars, most = "▁▂▃▄▅▆▇█", max(shares, default=0.0)
    if not most > 0:
        return bars[0] * len(shares)
    heights = (math.floor(share / most * len(bars)) for share in shares)
    return "".join(bars[min(height, len(bars) - 1)] for height in heights)
