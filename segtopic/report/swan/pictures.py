"""Alignments as pictures: a pair in, cells with shades and a line through them out.

Inputs stand across, outputs downwards. A cell is coloured as strongly as it is probable, over all
paths, that this input emits this output. The line is the best path: it goes through one input at a
time, and down by as many outputs as that input emits. Places are in the units of the drawing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from segtopic.harmless import for_page
from segtopic.report.figures import share
from segtopic.swan.batches import NumberedPairs
from segtopic.swan.pairs import Pair
from segtopic.swan.predictor import AlignedPair, SwanPredictor

CELL, TOP, EDGE = 28, 28, 6
LETTER = 9  # width of a character, roughly
LONGEST_LABEL = 8
FAINTEST = 0.005  # a shade that is still drawn
FITTING = 16  # symbols of either side that a phone has room for; larger pictures are scrolled


@dataclass(frozen=True)
class Label:
    """A symbol at the side of the picture."""

    text: str
    whole: str
    x: float
    y: float


@dataclass(frozen=True)
class Cell:
    """A shade, from 0 to 1, and what it stands for."""

    x: float
    y: float
    shade: float
    words: str
    size: int = CELL


@dataclass(frozen=True)
class Picture:
    """One alignment.

    Attributes:
        width: Of the drawing.
        height: Of the drawing.
        columns: Where the lines between inputs are.
        rows: Where the lines between outputs are.
        large: Whether it is scrolled instead of made to fit.
        inputs: Symbols across.
        outputs: Symbols downwards.
        cells: That are not empty.
        path: SVG path of the best one.
        text: The same in one line.
        probability: Of the best path among all.
    """

    width: float
    height: float
    columns: list[float]
    rows: list[float]
    large: bool
    inputs: list[Label]
    outputs: list[Label]
    cells: list[Cell]
    path: str
    text: str
    probability: str


def draw(
    predictor: SwanPredictor, pairs: Sequence[Pair], aligned: Sequence[AlignedPair]
) -> list[Picture]:
    """The pictures of some pairs and their alignments."""
    pictures = []
    for pair, alignment in zip(pairs, aligned, strict=True):
        (batch,) = NumberedPairs.of([pair], predictor.inputs, predictor.outputs).in_order(1)
        (found,) = predictor.model.align(batch)
        pictures.append(_picture(pair, alignment, found.emission.tolist()))
    return pictures


def _picture(pair: Pair, aligned: AlignedPair, emission: list[list[float]]) -> Picture:
    emitters = [symbol for symbol, _ in aligned.segments]
    longest = max([len(_short(symbol)) for symbol in pair.outputs], default=1)
    left = EDGE + 10 + LETTER * longest
    inputs = [
        Label(_short(symbol), for_page(symbol), left + CELL * (place + 0.5), TOP - 9)
        for place, symbol in enumerate(emitters)
    ]
    outputs = [
        Label(_short(symbol), for_page(symbol), left - 8, TOP + CELL * (place + 0.5) + 5)
        for place, symbol in enumerate(pair.outputs)
    ]
    cells = [
        Cell(
            left + CELL * across,
            TOP + CELL * down,
            round(shade, 3),
            for_page(f"{emitters[across]} emits {pair.outputs[down]}: {share(shade)}"),
        )
        for across, column in enumerate(emission)
        for down, shade in enumerate(column)
        if shade >= FAINTEST
    ]
    steps, emitted = [f"M{left} {TOP}"], 0
    for place, (_, segment) in enumerate(aligned.segments, start=1):
        emitted += len(segment)
        steps.append(f"L{left + CELL * place} {TOP + CELL * emitted}")
    return Picture(
        width=left + CELL * len(emitters) + EDGE,
        height=TOP + CELL * len(pair.outputs) + EDGE,
        columns=[left + CELL * place for place in range(len(emitters) + 1)],
        rows=[TOP + CELL * place for place in range(len(pair.outputs) + 1)],
        large=max(len(emitters), len(pair.outputs)) > FITTING,
        inputs=inputs,
        outputs=outputs,
        cells=cells,
        path="".join(steps),
        text=for_page(str(aligned)),
        probability=share(aligned.probability),
    )


def _short(symbol: str) -> str:
    shown = for_page(symbol)
    return shown if len(shown) <= LONGEST_LABEL else shown[: LONGEST_LABEL - 1] + "…"
