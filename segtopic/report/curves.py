"""Training curves: the lines of ``metrics.csv`` in, small drawings with axes out.

Places are in the units of the drawing, from its upper left corner.
"""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segtopic.errors import RunError
from segtopic.report.axis import Axis, nice_axis
from segtopic.report.figures import number

WIDTH, HEIGHT = 340, 208
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 12, 40


@dataclass(frozen=True)
class Line:
    """One line of a chart.

    Attributes:
        name: For the key.
        values: One an epoch, in words; empty where there is none.
        heights: The same as places; ``None`` where there is none.
        path: SVG path.
    """

    name: str
    values: list[str]
    heights: list[float | None]
    path: str


@dataclass(frozen=True)
class Chart:
    """One of the small drawings.

    Attributes:
        title: What it shows.
        unit: Of its values.
        note: How to read it.
        lines: One or more.
        ticks: Places and names on the vertical axis.
        places: Of the epochs on the horizontal axis.
    """

    title: str
    unit: str
    note: str
    lines: list[Line]
    ticks: list[tuple[float, str]]
    places: list[float]


@dataclass(frozen=True)
class Curves:
    """All charts, over the same epochs."""

    charts: list[Chart]
    epochs: list[int]
    ticks: list[tuple[float, str]]
    best: int


@dataclass(frozen=True)
class Wanted:
    """What a chart is to show: columns of ``metrics.csv`` and what they are called."""

    title: str
    unit: str
    note: str
    columns: Mapping[str, str]
    digits: int = 3
    factor: float = 1
    from_zero: bool = True


_CHARTS = (
    Wanted(
        "Predictive log likelihood",
        "nats per development word",
        "Higher is better.",
        {"dev_refined": "topics refined", "dev_mean": "encoder's topics"},
        from_zero=False,
    ),
    Wanted(
        "Likelihood inside phrases",
        "nats per continuation word",
        "How well a word is foreseen from the words before it in its span.",
        {"dev_continuation": "continuation words"},
        from_zero=False,
    ),
    Wanted(
        "Phrases used",
        "% of segments with several words",
        "Near zero, the model has stopped to use phrases.",
        {"long_segments": "several words"},
        digits=1,
        factor=100,
    ),
    Wanted(
        "Length of segments",
        "words",
        "One, where every word stands alone.",
        {"segment_length": "words a segment"},
        digits=2,
    ),
    Wanted(
        "Divergence from the prior (KL)",
        "nats per document",
        "What a document tells the model about its topics. Near zero, topics are ignored.",
        {"kl": "divergence"},
        digits=1,
    ),
    Wanted(
        "Active topics",
        "dimensions that vary between documents",
        "Topics that the model makes use of.",
        {"active_topics": "active"},
        digits=0,
    ),
)


def training_curves(path: Path, best_epoch: int, continuations: bool) -> Curves | None:
    """The charts of a topic model, or ``None`` where nothing was written down.

    Args:
        path: of ``metrics.csv``.
        best_epoch: whose weights were kept.
        continuations: whether segments may have several words.
    """
    phrases = ("dev_continuation", "long_segments", "segment_length")
    wanted = [
        each
        for each in _CHARTS
        if continuations or not any(name in phrases for name in each.columns)
    ]
    return draw_curves(path, best_epoch, wanted)


def draw_curves(path: Path, best_epoch: int, wanted: Sequence[Wanted]) -> Curves | None:
    """Those of the charts that the file has columns for; ``None`` without a file."""
    lines = read_metrics(path)
    if not lines:
        return None
    epochs = [int(line["epoch"]) for line in lines]
    across = nice_axis(epochs[0], epochs[-1], 6, whole=True, tight=True)
    places = [round(across.place(epoch, LEFT, WIDTH - RIGHT), 1) for epoch in epochs]
    charts = [
        _chart(each, lines, places)
        for each in wanted
        if any(name in lines[0] for name in each.columns)
    ]
    ticks = [
        (round(across.place(tick, LEFT, WIDTH - RIGHT), 1), f"{tick:.0f}") for tick in across.ticks
    ]
    return Curves(charts, epochs, ticks, best_epoch)


def read_metrics(path: Path) -> list[dict[str, float]]:
    """A line an epoch; empty without a file."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [
                {name: float(value) if value else math.nan for name, value in line.items()}
                for line in csv.DictReader(file)
            ]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, AttributeError, csv.Error) as error:
        raise RunError(f"{path}: is damaged ({error}); restore it") from None


def for_the_script(drawn: Curves | None) -> dict[str, Any] | None:
    """What the page's script knows of the charts."""
    if drawn is None:
        return None
    return {
        "epochs": drawn.epochs,
        "best": drawn.best,
        "charts": [
            {
                "places": chart.places,
                "lines": [
                    {"name": line.name, "values": line.values, "heights": line.heights}
                    for line in chart.lines
                ],
            }
            for chart in drawn.charts
        ],
    }


def _chart(wanted: Wanted, lines: Sequence[Mapping[str, float]], places: list[float]) -> Chart:
    columns = {
        label: [wanted.factor * line[name] for line in lines]
        for name, label in wanted.columns.items()
        if name in lines[0]
    }
    known = [v for values in columns.values() for v in values if math.isfinite(v)] or [0.0]
    lowest = 0.0 if wanted.from_zero else min(known)
    axis = nice_axis(lowest, max(known), 4, whole=wanted.digits == 0)
    digits = axis.digits
    return Chart(
        title=wanted.title,
        unit=wanted.unit,
        note=wanted.note,
        lines=[_line(name, v, axis, places, wanted.digits) for name, v in columns.items()],
        ticks=[(_height(tick, axis), number(tick, digits)) for tick in axis.ticks],
        places=places,
    )


def _line(
    name: str, values: Sequence[float], axis: Axis, places: Sequence[float], digits: int
) -> Line:
    heights = [_height(value, axis) if math.isfinite(value) else None for value in values]
    steps, pen_down = [], False
    for place, height in zip(places, heights, strict=True):
        if height is not None:
            steps.append(f"{'L' if pen_down else 'M'}{place} {height}")
        pen_down = height is not None
    words = [number(value, digits) if math.isfinite(value) else "" for value in values]
    return Line(name, words, heights, "".join(steps))


def _height(value: float, axis: Axis) -> float:
    return round(axis.place(value, HEIGHT - BOTTOM, TOP), 1)
