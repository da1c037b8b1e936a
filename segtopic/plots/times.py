"""Topics over time: a table of shares with intervals in, small multiples out, by plotly."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from segtopic.config import did_you_mean
from segtopic.errors import ConfigError
from segtopic.plots.drawing import LAYOUT, label, plotly

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

COLUMNS = 3
ROW_HEIGHT = 190
LINE, BAND = "#1f5fa8", "rgba(31, 95, 168, 0.18)"


def over_time(table: Any, topics: Sequence[Any] | None = None, n_topics: int = 9) -> "Figure":
    """A small chart for each topic: its share, and the interval around it.

    Args:
        table: a pandas table with a row for each time and topic; columns ``time``, ``topic``,
            ``share`` and, if there are intervals, ``low`` and ``high``. A column ``name`` tells
            what topics are called. What ``topics_over_time`` returns will do as it is.
        topics: which ones, in this order; the largest if not given.
        n_topics: how many of the largest.
    """
    rows = _tidy(table)
    if topics is None:
        means = rows.groupby("topic", sort=False)["share"].mean()
        topics = means.sort_values(ascending=False, kind="stable").index[:n_topics].tolist()
    chosen = list(topics)
    if unknown := [topic for topic in chosen if topic not in set(rows["topic"])]:
        raise ConfigError(f"the table has no topic {unknown[0]!r}; choose among its topics")
    if not chosen:
        raise ConfigError("the table has no rows; give shares of topics at some times")
    names = rows.groupby("topic", sort=False)["name"].first()
    n_rows = math.ceil(len(chosen) / COLUMNS)
    figure: Figure = plotly("subplots").make_subplots(
        rows=n_rows,
        cols=min(COLUMNS, len(chosen)),
        subplot_titles=[label(str(names[topic]), 34) for topic in chosen],
        shared_xaxes="all",
        horizontal_spacing=0.07,
        vertical_spacing=0.35 / n_rows,
    )
    for place, topic in enumerate(chosen):
        where = {"row": place // COLUMNS + 1, "col": place % COLUMNS + 1}
        _draw(figure, rows[rows["topic"] == topic], where)
    figure.update_layout(
        **LAYOUT, title="Topics over time: share of the documents", height=90 + ROW_HEIGHT * n_rows
    )
    figure.update_annotations(font_size=13)
    figure.update_xaxes(showticklabels=True)
    figure.update_yaxes(tickformat=".0%", rangemode="tozero", nticks=4)
    return figure


def _draw(figure: "Figure", own: pd.DataFrame, where: dict[str, int]) -> None:
    """One topic; the band is drawn there and back, so that it is one closed line."""
    if "low" in own:
        there, back = own, own.iloc[::-1]
        figure.add_scatter(
            x=[*there["time"], *back["time"]],
            y=[*there["high"], *back["low"]],
            fill="toself",
            fillcolor=BAND,
            line={"width": 0},
            hoverinfo="skip",
            **where,
        )
    figure.add_scatter(
        x=own["time"],
        y=own["share"],
        mode="lines+markers",
        line={"color": LINE, "width": 2},
        marker={"size": 5},
        hovertemplate="%{x}: %{y:.1%}<extra></extra>",
        **where,
    )


def _tidy(table: Any) -> pd.DataFrame:
    """The columns that are drawn, in the order of time."""
    if not isinstance(table, pd.DataFrame) and hasattr(table, "to_frame"):
        table = table.to_frame()
    if not isinstance(table, pd.DataFrame):
        raise ConfigError(f"a pandas table expected, but got {type(table).__name__}")
    if "time" not in table and "value" in table:
        table = table.rename(columns={"value": "time"})
    for needed in ("time", "topic", "share"):
        if needed not in table:
            near = did_you_mean(needed, list(map(str, table.columns))) if len(table.columns) else ""
            raise ConfigError(f"the table has no column '{needed}'{near}")
    intervals = [name for name in ("low", "high") if name in table]
    if len(intervals) == 1:
        raise ConfigError(
            f"the table has a column '{intervals[0]}' alone; give both low and high, or neither"
        )
    rows = table[["time", "topic", "share", *intervals]].copy()
    rows["name"] = table["name"] if "name" in table else table["topic"].astype(str)
    for figures in ("share", *intervals):
        rows[figures] = pd.to_numeric(rows[figures], errors="coerce")
        if rows[figures].isna().any():
            raise ConfigError(f"column '{figures}' has values that are no numbers; correct them")
    as_numbers = pd.to_numeric(rows["time"], errors="coerce")
    if pd.api.types.is_string_dtype(rows["time"]) and not as_numbers.isna().any():
        rows["time"] = as_numbers  # years as text
    if rows["time"].isna().any():
        raise ConfigError("column 'time' has empty cells; fill them or leave out their rows")
    return rows.sort_values("time", kind="stable")
