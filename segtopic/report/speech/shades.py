"""The posterior of an utterance as a part of its picture: a row for each symbol."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segtopic.report.speech.images import posterior
from segtopic.report.speech.lettering import shortened, shown
from segtopic.report.speech.parts import Box, Name, Panel, PlaceOf
from segtopic.swan.listener import TimedSegment

ROW, LOWEST_ROW = 14, 3
HIGHEST = 840  # of all rows, unless they would become too low
HIGHEST_OF_ALL = 6000  # however low they become
BETWEEN_NAMES = 12
LONGEST_NAME = 12  # characters


@dataclass(frozen=True)
class Shades:
    """How probable it is that an input emits an output.

    Attributes:
        panel: The probabilities.
        names: Of the rows; where they are low, of some of them.
        emitted: A frame around what each input of the best path emits.
    """

    panel: Panel
    names: list[Name]
    emitted: list[Box]


def draw_shades(
    emission: NDArray[np.float64],
    path: Sequence[TimedSegment],
    seconds_per_vector: float,
    place_of: PlaceOf,
    top: float,
    level: str,
) -> Shades:
    """The part of the picture below ``top``.

    Args:
        emission: ``(T', T)`` the posterior that an input emits an output.
        path: segments of the outputs.
        seconds_per_vector: from one input to the next.
        place_of: a second.
        top: where the first row begins.
        level: how symbols are written.
    """
    n_vectors, n_outputs = emission.shape
    row = min(ROW, max(HIGHEST / n_outputs, LOWEST_ROW), HIGHEST_OF_ALL / n_outputs)
    left, right = place_of(0), place_of(n_vectors * seconds_per_vector)
    symbols = [symbol for each in path for symbol in each.symbols]
    emitted, y = [], top
    for each in path:
        begin, end = (place_of(each.at + half * seconds_per_vector) for half in (-0.5, 0.5))
        height = row * len(each.symbols)
        emitted.append(Box(begin, round(y, 1), round(end - begin, 1), round(height, 1)))
        y += height
    return Shades(
        Panel(posterior(emission), Box(left, top, round(right - left, 1), round(y - top, 1))),
        [
            Name(shortened(shown([symbol], level), LONGEST_NAME), round(top + (n + 0.5) * row, 1))
            for n, symbol in enumerate(symbols)
            if n % math.ceil(BETWEEN_NAMES / row) == 0
        ],
        emitted,
    )
