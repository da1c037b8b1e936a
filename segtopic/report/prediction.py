"""How well the run predicts: its evaluation and a comparison in, a table that is also a plot out.

Places are in per mille of the width of a plot.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from segtopic.evaluate.bootstrap import Interval, bootstrap_interval
from segtopic.evaluate.predictive import Evaluation
from segtopic.evaluate.stored_comparison import StoredComparison
from segtopic.report.axis import Axis, nice_axis
from segtopic.report.figures import number, with_interval

WIDTH = 1000
OWN = "segtopic"  # how the names of our own models begin in a comparison


@dataclass(frozen=True)
class Mark:
    """An interval on a plot, in words, and as it is."""

    low: float
    mean: float
    high: float
    words: str
    interval: Interval


@dataclass(frozen=True)
class Plot:
    """What the marks of a column are read against: places and names of ticks, and of zero."""

    ticks: list[tuple[float, str]]
    zero: float | None


@dataclass(frozen=True)
class PredictionRow:
    """One model.

    Attributes:
        name: Its name.
        settings: What was chosen on the development documents, in words.
        own: Whether it is segtopic.
        test: Log likelihood per scored test word.
        ahead: How far the run is ahead of it; ``None`` for the run itself.
    """

    name: str
    settings: str
    own: bool
    test: Mark
    ahead: Mark | None


@dataclass(frozen=True)
class Prediction:
    """The table, best models first, and its plots.

    Attributes:
        rows: The models.
        test: Against what their likelihoods are read.
        ahead: Against what the leads are read; ``None`` without baselines.
        quick: Whether the baselines were tuned over a small grid.
        by_train: Whether the only baseline is the LDA that ``segtopic train`` tunes.
    """

    rows: list[PredictionRow]
    test: Plot
    ahead: Plot | None
    quick: bool = False
    by_train: bool = False


def prediction_table(
    evaluation: Evaluation | None, comparison: StoredComparison | None
) -> Prediction | None:
    """All models of the comparison; without one the run alone; without test documents nothing."""
    if comparison is not None:
        return _compared(comparison)
    if evaluation is None:
        return None
    named = {"segtopic": bootstrap_interval(evaluation.best)}
    if evaluation.refined is not None:
        named["segtopic, topics by the encoder alone"] = bootstrap_interval(evaluation.mean)
    axis = _axis(list(named.values()))
    rows = [
        PredictionRow(name, "", True, _mark(interval, axis), None)
        for name, interval in named.items()
    ]
    return Prediction(rows, _plot(axis), None)


def for_the_script(prediction: Prediction | None) -> list[dict[str, Any]]:
    """The figures of the table, which the page offers as CSV; empty where there is none."""
    return [
        {
            "model": row.name,
            "settings": row.settings,
            **_named("per_word", row.test),
            **_named("segtopic_ahead", row.ahead),
        }
        for row in (prediction.rows if prediction else [])
    ]


def _named(name: str, mark: Mark | None) -> dict[str, float | None]:
    """``None`` for what is not known."""
    ends = mark.interval if mark else Interval(math.nan, math.nan, math.nan)
    values = {name: ends.mean, f"{name}_low": ends.low, f"{name}_high": ends.high}
    return {key: round(v, 6) if math.isfinite(v) else None for key, v in values.items()}


def _compared(comparison: StoredComparison) -> Prediction:
    rows = sorted(comparison.rows, key=lambda row: -row.test.mean)
    behind = [
        row.reference_ahead
        for row in rows
        if row.reference_ahead is not None and _any_width(row.reference_ahead)
    ]
    test, ahead = _axis([row.test for row in rows]), _axis([*behind, Interval(0, 0, 0)])
    return Prediction(
        rows=[
            PredictionRow(
                name=row.name,
                settings=", ".join(f"{name} {value}" for name, value in row.settings.items()),
                own=row.name.startswith(OWN),
                test=_mark(row.test, test),
                ahead=_lead(row.reference_ahead, ahead) if row.reference_ahead in behind else None,
            )
            for row in rows
        ],
        test=_plot(test),
        ahead=_plot(ahead) if behind else None,
        quick=comparison.quick,
        by_train=comparison.by == "train",
    )


def _any_width(interval: Interval) -> bool:
    """A run is ahead of itself by nothing, for certain."""
    return interval.high > interval.low


def _axis(intervals: Sequence[Interval]) -> Axis:
    # An interval without any scored word is not a number, and is left out.
    ends = [end for i in intervals for end in (i.low, i.high) if end == end]
    return nice_axis(min(ends, default=0), max(ends, default=0), 4)


def _plot(axis: Axis) -> Plot:
    ticks = [(_place(tick, axis), number(tick, axis.digits)) for tick in axis.ticks]
    return Plot(ticks, _place(0, axis) if axis.low <= 0 <= axis.high else None)


def _mark(interval: Interval, axis: Axis) -> Mark:
    values = (interval.low, interval.mean, interval.high)
    low, mean, high = (_place(value, axis) if value == value else 0.0 for value in values)
    return Mark(low, mean, high, with_interval(interval), interval)


def _lead(interval: Interval, axis: Axis) -> Mark:
    place, by = interval.lead
    return replace(_mark(interval, axis), words=f"{place} by {with_interval(by)}")


def _place(value: float, axis: Axis) -> float:
    return round(axis.place(value, 0, WIDTH), 1)
