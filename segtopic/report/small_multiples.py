"""Small multiples of topics over time or by group: :class:`Changes` in, a drawing a topic out.

Over time a topic is a line with its interval as a band; by group it is a row of whiskers. Every
drawing has a scale of its own, from zero, and says how it is to be squeezed for a common one.
Places are in the units of the drawings.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from segtopic.explore.changes import Changes, TopicChange
from segtopic.harmless import for_page
from segtopic.report.axis import nice_axis
from segtopic.report.figures import NOTHING, number, share
from segtopic.report.topic_list import ShownTopic

WIDTH, HEIGHT = 260, 118  # of a line chart
LEFT, RIGHT, TOP, FLOOR = 38, 10, 10, 94  # FLOOR is the height of zero
ACROSS = 1000  # width of a row of whiskers
FIRST = 12  # topics that are seen at once
SHORT = 7  # letters of a value that has room in the middle of an axis


@dataclass(frozen=True)
class Row:
    """A topic at one value.

    Attributes:
        value: A time or a group.
        share: In words.
        words: The same with the interval.
        phrases: The best ones there.
        low: Place of the interval's lower end across a row of whiskers.
        mean: Of the share.
        high: Of the upper end.
        known: Whether there is any document.
    """

    value: str
    share: str
    words: str
    phrases: str
    low: float
    mean: float
    high: float
    known: bool


@dataclass(frozen=True)
class SmallChart:
    """One topic.

    Attributes:
        change: What is drawn.
        label: Its name.
        place: Its place on the page; ``None`` if the page does not have it.
        rows: One a value.
        line: SVG path of its shares.
        points: The same as points.
        band: SVG path around its intervals.
        top: The upper end of its own scale, in words.
        squeezed: How a line chart is transformed for the common scale.
        narrowed: How a row of whiskers is.
    """

    change: TopicChange
    label: str
    place: int | None
    rows: list[Row]
    line: str
    points: str
    band: str
    top: str
    squeezed: str
    narrowed: str


@dataclass(frozen=True)
class SmallMultiples:
    """All topics, those first that change most.

    Attributes:
        column: What the values are.
        values: Times or groups.
        documents: How many there are of each; empty if unknown.
        charts: One a topic.
        ticks: Places, names and anchors of values on a line chart.
        places: Of all values on a line chart.
        top: The upper end of the common scale, in words.
    """

    column: str
    values: list[str]
    documents: list[int]
    charts: list[SmallChart]
    ticks: list[tuple[float, str, str]]
    places: list[float]
    top: str


def small_multiples(changes: Changes | None, topics: Sequence[ShownTopic]) -> SmallMultiples | None:
    """The drawings; ``None`` if there is nothing to draw.

    Args:
        changes: of topics.
        topics: of the page, which name them.
    """
    if changes is None or not changes.values or not changes.topics:
        return None
    places = _places(len(changes.values))
    values = [for_page(value) for value in changes.values]
    common = _top([end for topic in changes.topics for end in topic.high])
    shown = {topic.number: (place, topic.label) for place, topic in enumerate(topics)}
    order = sorted(changes.topics, key=lambda topic: -topic.range)
    return SmallMultiples(
        column=for_page(changes.column),
        values=values,
        documents=list(changes.documents),
        charts=[_chart(topic, shown, values, places, common) for topic in order],
        ticks=_ticks(values, places),
        places=places,
        top=_percent(common),
    )


def for_the_script(drawn: SmallMultiples | None) -> dict[str, Any] | None:
    """What the page's script knows, in the order of the drawings; also offered as CSV."""
    if drawn is None:
        return None
    return {
        "column": drawn.column,
        "values": drawn.values,
        "documents": drawn.documents,
        "places": drawn.places,
        "topics": [
            {
                "topic": chart.change.topic,
                "label": chart.label,
                "share": [_rounded(value) for value in chart.change.share],
                "low": [_rounded(value) for value in chart.change.low],
                "high": [_rounded(value) for value in chart.change.high],
                "words": [row.words for row in chart.rows],
                "phrases": [row.phrases for row in chart.rows],
            }
            for chart in drawn.charts
        ],
    }


def _chart(
    topic: TopicChange,
    shown: dict[int, tuple[int, str]],
    values: Sequence[str],
    places: Sequence[float],
    common: float,
) -> SmallChart:
    top = _top(topic.high)
    place, label = shown.get(topic.topic, (None, f"topic {topic.topic}"))
    squeeze = round(top / common, 4)
    line, low, high = (
        [
            (x, _height(value, top) if known else None)
            for x, value, known in zip(places, of, _known(topic), strict=True)
        ]
        for of in (topic.share, topic.low, topic.high)
    )
    return SmallChart(
        change=topic,
        label=label,
        place=place,
        rows=[_row(topic, values, at, top) for at in range(len(values))],
        line="".join(_path(run) for run in _runs(line)),
        points="".join(f"M{x} {y}h0" for run in _runs(line) for x, y in run),
        band="".join(
            f"{_path(upper)}{_path(lower[::-1]).replace('M', 'L', 1)}Z"
            for upper, lower in zip(_runs(high), _runs(low), strict=True)
        ),
        top=_percent(top),
        squeezed=f"translate(0 {round(FLOOR * (1 - squeeze), 2)}) scale(1 {squeeze})",
        narrowed=f"scale({squeeze} 1)",
    )


def _row(topic: TopicChange, values: Sequence[str], at: int, top: float) -> Row:
    known = _known(topic)[at]
    ends = (topic.low[at], topic.share[at], topic.high[at])
    low, mean, high = (round(ACROSS * end / top, 1) if known else 0.0 for end in ends)
    in_words = share(topic.share[at]) if known else NOTHING
    interval = f" [{number(100 * ends[0], 1)}, {number(100 * ends[2], 1)}]" if known else ""
    return Row(
        value=values[at],
        share=in_words,
        words=in_words + interval,
        phrases=for_page(", ".join(topic.phrases[at])),
        low=low,
        mean=mean,
        high=high,
        known=known,
    )


def _top(ends: Sequence[float]) -> float:
    """The upper end of a scale from zero that holds all intervals."""
    return nice_axis(0, max((end for end in ends if math.isfinite(end)), default=0) or 0.01, 4).high


def _percent(value: float) -> str:
    return f"{100 * value:.3g} %"


def _known(topic: TopicChange) -> list[bool]:
    """Where there is a share, with its interval."""
    ends = zip(topic.share, topic.low, topic.high, strict=True)
    return [all(map(math.isfinite, each)) for each in ends]


def _height(value: float, top: float) -> float:
    return round(FLOOR - value / top * (FLOOR - TOP), 1)


def _places(n_values: int) -> list[float]:
    width = WIDTH - LEFT - RIGHT
    if n_values == 1:
        return [LEFT + width / 2]
    return [round(LEFT + place / (n_values - 1) * width, 1) for place in range(n_values)]


def _ticks(values: Sequence[str], places: Sequence[float]) -> list[tuple[float, str, str]]:
    """The first and the last value, and one between them if there is room."""
    if len(values) == 1:
        return [(places[0], values[0], "middle")]
    ticks = [(places[0], values[0], "start"), (places[-1], values[-1], "end")]
    middle = len(values) // 2
    if len(values) >= 5 and max(map(len, values)) <= SHORT:
        ticks.insert(1, (places[middle], values[middle], "middle"))
    return ticks


def _runs(points: Sequence[tuple[float, float | None]]) -> list[list[tuple[float, float]]]:
    """Points in a row that are known."""
    runs: list[list[tuple[float, float]]] = [[]]
    for x, y in points:
        if y is not None:
            runs[-1].append((x, y))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in points)


def _rounded(value: float) -> float | None:
    return round(value, 6) if math.isfinite(value) else None
