"""An utterance as a picture: spectrogram, segments and labels, shades of the posterior, the truth.

The paper's figure. Time runs across, in the units of the drawing; from the top: the features of
each frame (low filter banks at the bottom), with a line where a segment begins or ends; the
seconds; the segments of the best path, given what was said; what the search heard; who says what
where somebody measured it; and how probable it is, over all paths, that an input emits an output,
with the symbols beside their rows and a frame around what the best path emits.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segtopic.report.axis import nice_axis
from segtopic.report.speech.images import spectrogram
from segtopic.report.speech.labels import SMALL, Stretch, place_labels, room_for
from segtopic.report.speech.lettering import NOTHING, in_one_line, shortened, shown
from segtopic.report.speech.parts import Box, Name, Panel, PlaceOf, Row
from segtopic.report.speech.shades import Shades, draw_shades
from segtopic.speech.recordings import Mark
from segtopic.swan.listener import TimedSegment

LEFT, EDGE, TOP = 92, 18, 8
BAND, AXIS, ROW, LEVEL, GAP = 160, 30, 26, 15, 8
CAPTION = 24
SLOWEST, FASTEST = 200, 640  # units for a second
NARROWEST, WIDEST = 560, 6000
FITTING = 0.75  # share of the labels that the scale has room for, if it may
BETWEEN_TICKS = 90


@dataclass(frozen=True)
class SpeechPicture:
    """A drawing.

    Attributes:
        width: Of the drawing.
        height: Of the drawing.
        row: Height of the fields of labels.
        level: Height of a level of texts below them.
        seconds: Length of the sound.
        sound: The features; time has the same place in every part.
        borders: Where segments begin and end.
        ticks: Seconds.
        axes: Where they stand.
        rows: Of labels.
        caption: Of the shades.
        shades: None if nothing is emitted.
    """

    width: float
    height: float
    row: float
    level: float
    seconds: float
    sound: Panel
    borders: list[float]
    ticks: list[Name]
    axes: list[float]
    rows: list[Row]
    caption: Name
    shades: Shades | None


def draw_utterance(
    features: NDArray[np.float32],
    said: Sequence[TimedSegment] | None,
    heard: Sequence[TimedSegment],
    marks: Sequence[Mark],
    emission: NDArray[np.float64],
    seconds_per_vector: float,
    seconds: float,
    level: str,
) -> SpeechPicture:
    """A picture of one utterance.

    Args:
        features: ``(T, F)`` normalised; the first third is drawn, the rest are differences.
        said: segments of what was said; None if they are not known.
        heard: segments of what the search found.
        marks: sounds that somebody measured, if anybody has.
        emission: ``(T', T)`` the posterior that an input emits an output; of what was said, or else
            of what was heard.
        seconds_per_vector: from one input to the next; what is left over at the end emits nothing.
        seconds: length of the sound.
        level: how symbols are written.
    """
    named = {
        "best path": [] if said is None else _stretches(said, level),
        "heard": _stretches(heard, level) or [Stretch(NOTHING, 0, seconds)],
        "measured": [Stretch(in_one_line(mark.symbol), mark.begin, mark.end) for mark in marks],
    }
    span = _span(named.values(), seconds)

    def place_of(second: float) -> float:
        return round(LEFT + span * min(max(second / seconds, 0), 1), 1)

    rows, y = [], float(TOP + BAND + AXIS)
    for name, some in named.items():
        if some:
            labels = place_labels(some, place_of, LEFT, LEFT + span)
            rows.append(Row(name, y, labels))
            y += ROW + LEVEL * max(label.level for label in labels) + GAP
    path, about = (heard, "heard") if said is None else (said, "said")
    caption = Name(f"posterior of what was {about}", y + CAPTION / 2)
    axes, shades = [float(TOP + BAND)], None
    if emission.size:
        shades = draw_shades(emission, path, seconds_per_vector, place_of, y + CAPTION, level)
        axes.append(shades.panel.box.y + shades.panel.box.height)
        y = axes[-1] + AXIS
    static = features[:, : features.shape[1] // 3] if features.shape[1] % 3 == 0 else features
    return SpeechPicture(
        width=LEFT + span + EDGE,
        height=round(y),
        row=ROW,
        level=LEVEL,
        seconds=seconds,
        sound=Panel(spectrogram(static), Box(LEFT, TOP, span, BAND)),
        borders=_borders(path, seconds, place_of),
        ticks=_ticks(seconds, span, place_of),
        axes=axes,
        rows=rows,
        caption=caption,
        shades=shades,
    )


def _stretches(segments: Sequence[TimedSegment], level: str) -> list[Stretch]:
    return [Stretch(shown(each.symbols, level), each.begin, each.end) for each in segments]


def _span(rows: Iterable[Sequence[Stretch]], seconds: float) -> float:
    """As wide as most of the labels need, within what can be looked at."""
    needed = [
        room_for(shortened(text), SMALL) / max(end - begin, 1e-3)
        for row in rows
        for text, begin, end in row
    ]
    scale = min(max(float(np.quantile(needed, FITTING)), SLOWEST), FASTEST)
    return round(min(max(scale * seconds, NARROWEST), WIDEST))


def _borders(path: Sequence[TimedSegment], seconds: float, place_of: PlaceOf) -> list[float]:
    """Each once, and none at either end of the sound."""
    places = {place_of(border) for each in path for border in (each.begin, each.end)}
    return sorted(places - {place_of(0), place_of(seconds)})


def _ticks(seconds: float, span: float, place_of: PlaceOf) -> list[Name]:
    axis = nice_axis(0, seconds, max(int(span // BETWEEN_TICKS), 2), tight=True)
    return [Name(f"{tick:.{axis.digits}f}", place_of(tick)) for tick in axis.ticks]
