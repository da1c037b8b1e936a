"""An utterance as a picture: spectrogram, segments and labels, shades of the posterior, the truth.

The paper's figure. Time runs across, in the units of the drawing; from the top: the features of
each frame (low filter banks at the bottom), with a line at each border between two segments; the
segments of the best path, given what was said; what the search heard; who says what where somebody
measured it; and how probable it is, over all paths, that an input emits an output (outputs
downwards).
"""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from segtopic.speech.recordings import Mark
from segtopic.swan.listener import TimedSegment

LEFT, EDGE, TOP = 92, 10, 8
BAND, ROW, GAP = 150, 26, 10
PER_SECOND, NARROWEST, WIDEST = 260, 420, 1500
SHADE_ROW = 9
SPACE = "␣"


@dataclass(frozen=True)
class Label:
    """A text over a stretch of time."""

    text: str
    x: float
    width: float
    begin: float
    end: float


@dataclass(frozen=True)
class Row:
    """A row of labels, with its name at the left."""

    name: str
    y: float
    labels: list[Label]
    plays: bool


@dataclass(frozen=True)
class SpeechPicture:
    """A drawing.

    Attributes:
        width: Of the drawing.
        height: Of the drawing.
        left: Where time begins.
        span: Width of the whole sound.
        spectrogram: PNG as base64, and where it stands.
        shades: The same of the posterior.
        borders: Between segments.
        rows: Of labels.
        seconds: Length of the sound.
    """

    width: float
    height: float
    left: float
    span: float
    top: float
    band: float
    row: float
    spectrogram: str
    shades: str
    shades_y: float
    shades_span: float
    shades_height: float
    borders: list[float]
    rows: list[Row]
    seconds: float


def draw_utterance(
    features: NDArray[np.float32],
    path: Sequence[TimedSegment],
    heard: Sequence[TimedSegment],
    marks: Sequence[Mark],
    emission: NDArray[np.float64],
    seconds: float,
    covered: float,
) -> SpeechPicture:
    """A picture of one utterance.

    Args:
        features: ``(T, F)`` normalised; the first third is drawn, the rest are differences.
        path: segments of what was said.
        heard: segments of what the search found.
        marks: sounds that somebody measured, if anybody has.
        emission: ``(T', T)`` the posterior that an input emits an output.
        seconds: length of the sound.
        covered: how much of it the inputs hear; what is left over at the end emits nothing.
    """
    span = min(max(PER_SECOND * seconds, NARROWEST), WIDEST)

    def x(second: float) -> float:
        return round(LEFT + span * min(max(second / seconds, 0), 1), 1)

    def labels(some: Sequence[tuple[str, float, float]]) -> list[Label]:
        return [
            Label(text, x(begin), round(x(end) - x(begin), 1), begin, end)
            for text, begin, end in some
        ]

    named = [
        ("best path", [(shown(each.symbols), each.begin, each.end) for each in path], True),
        ("heard", [(shown(each.symbols), each.begin, each.end) for each in heard], True),
        ("measured", [(mark.symbol, mark.begin, mark.end) for mark in marks], True),
    ]
    rows, y = [], TOP + BAND + GAP
    for name, some, plays in named:
        if some:
            rows.append(Row(name, y, labels(some), plays))
            y += ROW + 4
    height = SHADE_ROW * max(emission.shape[1], 1)
    static = features[:, : features.shape[1] // 3] if features.shape[1] % 3 == 0 else features
    return SpeechPicture(
        width=LEFT + span + EDGE,
        height=y + GAP + height + EDGE,
        left=LEFT,
        span=span,
        top=TOP,
        band=BAND,
        row=ROW,
        spectrogram=as_png(-static.T[::-1]),
        shades=as_png(-emission.T, low=-1.0, high=0.0),
        shades_y=y + GAP,
        shades_span=round(span * covered / seconds, 1),
        shades_height=height,
        borders=[x(each.begin) for each in path[1:]],
        rows=rows,
        seconds=seconds,
    )


def shown(symbols: Sequence[str]) -> str:
    """The symbols of a segment as one label; a space is made visible.

    >>> shown(["N", "E", " "]), shown(["SH", "IY"])
    ('NE␣', 'SH IY')
    """
    between = "" if all(len(symbol) == 1 for symbol in symbols) else " "
    return between.join(SPACE if symbol == " " else symbol for symbol in symbols)


def as_image(values: NDArray[np.floating], low: float | None, high: float | None) -> Image.Image:
    """Numbers as grey: the lowest black, the highest white."""
    if not values.size:
        return Image.new("L", (1, 1), 255)
    bottom = float(np.quantile(values, 0.02)) if low is None else low
    top = float(np.quantile(values, 0.98)) if high is None else high
    scaled = np.clip((values - bottom) / max(top - bottom, 1e-9), 0, 1)
    return Image.fromarray((255 * scaled).astype(np.uint8))


def as_png(
    values: NDArray[np.floating], low: float | None = None, high: float | None = None
) -> str:
    """A PNG file as base64."""
    file = io.BytesIO()
    as_image(values, low, high).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()
