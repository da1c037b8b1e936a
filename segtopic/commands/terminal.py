"""What the terminal can do, and how wide the columns of a table may be on it.

>>> column_widths([["a word", "and some more words"]], width=21)
[6, 8]
"""

import os
from collections.abc import Sequence
from typing import TextIO

from rich.cells import cell_len

LONGEST_WORD = 40  # a longer one may be cut
BORDERS = 3  # of each column: a line, and a space on both sides


def is_lively(stream: TextIO) -> bool:
    """Whether a stream is a terminal on which things can move."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def has_colours(stream: TextIO) -> bool:
    """Whether a stream is a terminal whose user wants colours (https://no-color.org)."""
    return is_lively(stream) and not os.environ.get("NO_COLOR")


def column_widths(rows: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """How wide the columns may be so that no word is cut; ``None`` if there is no room for that."""
    columns = list(zip(*rows, strict=True))
    wanted = [max(map(cell_len, column)) for column in columns]
    widths = [max(map(_longest_word, column)) for column in columns]
    spare = width - 1 - BORDERS * len(columns) - sum(widths)
    if spare < 0:
        return None
    # What a column that needs little leaves is for those that need more.
    by_need = sorted(range(len(columns)), key=lambda place: wanted[place] - widths[place])
    for done, place in enumerate(by_need):
        more = min(wanted[place] - widths[place], spare // (len(columns) - done))
        widths[place] += more
        spare -= more
    return widths


def _longest_word(cell: str) -> int:
    indent = len(cell) - len(cell.lstrip())
    return min(max((cell_len(word) for word in cell.split()), default=0), LONGEST_WORD) + indent
