"""Topics over time or by group: shares with intervals in, checked and ready for the page out.

What computes the shares stands elsewhere; the page takes plain lists, one entry a value (a year, a
venue), and shows one small chart a topic.

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

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from segtopic.errors import ConfigError


@dataclass(frozen=True)
class TopicChange:
    """One topic.

    Attributes:
        topic: The model's number of it.
        share: Of the documents of each value; not a number where there is no document.
        low: Lower end of the interval of each.
        high: Upper end.
        phrases: The topic's best phrases in the documents of each value; may be empty.
    """

    topic: int
    share: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    phrases: tuple[tuple[str, ...], ...]

    @property
    def range(self) -> float:
        """How far apart its smallest and its largest share are."""
        known = [share for share in self.share if math.isfinite(share)]
        return max(known, default=0.0) - min(known, default=0.0)


@dataclass(frozen=True)
class Changes:
    """All topics that are shown, over the same values.

    Attributes:
        values: Times in their order, or names of groups.
        topics: In any order.
        column: What the values are, as ``year``; empty if unknown.
        documents: How many there are of each value; empty if unknown.
    """

    values: tuple[str, ...]
    topics: tuple[TopicChange, ...]
    column: str = ""
    documents: tuple[int, ...] = ()

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
        """From plain lists: ``values`` and ``topics``, perhaps ``column`` and ``documents``."""
        return cls(
            values=tuple(map(str, content["values"])),
            topics=tuple(_topic(topic) for topic in content["topics"]),
            column=str(content.get("column", "")),
            documents=tuple(map(int, content.get("documents", ()))),
        )


def _topic(content: Mapping[str, Any]) -> TopicChange:
    return TopicChange(
        topic=int(content["topic"]),
        share=tuple(map(float, content["share"])),
        low=tuple(map(float, content["low"])),
        high=tuple(map(float, content["high"])),
        phrases=tuple(tuple(map(str, phrases)) for phrases in content["phrases"]),
    )


def _unequal(name: str, entries: Sequence[Any], values: Sequence[str]) -> str:
    return f"'{name}' has {len(entries)} entries for {len(values)} values; give one for each"
