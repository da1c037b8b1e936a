"""The text of a picture: one harmless line, and about how wide it is.

Everything that is written in a picture, on the page or in a file, comes through here.
"""

import unicodedata
from collections.abc import Sequence

from segtopic.harmless import UNREADABLE, for_page
from segtopic.swan.spoken import written

SPACE, NOTHING, MORE = "␣", "∅", "…"
LONGEST = 24  # characters of a label
CHARACTER, WIDE_CHARACTER = 0.62, 1.05  # widths in a monospaced font of size 1
# Line ends, and the two characters that XML has no place for.
_ONE_LINE = {
    **dict.fromkeys(map(ord, "\t\n\u2028\u2029"), " "),
    **dict.fromkeys((0xFFFE, 0xFFFF), UNREADABLE),
}


def in_one_line(text: str) -> str:
    """A text that SVG can hold, that turns nothing around and ends no line.

    >>> in_one_line("a\\x01b\\u202ec\\nd")
    'a�b⇄c d'
    """
    return for_page(text).translate(_ONE_LINE)


def shown(symbols: Sequence[str], level: str) -> str:
    """The symbols of a segment as one label, as their level writes them; a space is made visible.

    >>> shown(["N", "E", " "], "characters"), shown(["d", "y"], "phones")
    ('NE␣', 'd y')
    """
    visible = [SPACE if symbol.isspace() else symbol for symbol in symbols]
    return in_one_line(written(visible, level))


def shortened(text: str, longest: int = LONGEST) -> str:
    """Its beginning.

    >>> shortened("incomprehensibility", 8)
    'incompr…'
    """
    return text if len(text) <= longest else text[: longest - 1] + MORE


def width_of(text: str, size: float) -> float:
    """In the units of the picture; a little more than any monospaced font needs.

    >>> round(width_of("ab", 10), 1), round(width_of("日", 10), 1)
    (12.4, 10.5)
    """
    return size * sum(
        0.0
        if unicodedata.combining(each)
        else WIDE_CHARACTER
        if unicodedata.east_asian_width(each) in "WF"
        else CHARACTER
        for each in text
    )
