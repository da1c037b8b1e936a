"""What a picture is made of; places and sizes are in the units of the drawing."""

from collections.abc import Callable
from dataclasses import dataclass

from segtopic.report.speech.labels import SIZE, SMALL, Label

MAKER = "segtopic report"  # in every file of a picture
PlaceOf = Callable[[float], float]  # of a second


@dataclass(frozen=True)
class Box:
    """An area."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Panel:
    """An image, as PNG in base64, and where it stands."""

    png: str
    box: Box


@dataclass(frozen=True)
class Name:
    """What a place is called: a second of the axis, or the row of a symbol."""

    text: str
    place: float


@dataclass(frozen=True)
class Row:
    """A row of labels, with its name at the left."""

    name: str
    y: float
    labels: list[Label]


@dataclass(frozen=True)
class Paint:
    """Colours on white paper, of which the page has its own, and sizes of letters."""

    paper: str = "#ffffff"
    ink: str = "#20242c"
    soft: str = "#5b6270"
    border: str = "#c0392b"
    field: str = "#e3eaf5"
    size: int = SIZE
    small: int = SMALL


PAINT = Paint()
