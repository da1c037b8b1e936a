"""Text of strangers made harmless for the place where it is shown.

>>> for_terminal("a\\x1b[31mb\\u202ec")
'a\\\\x1b[31mb\\\\u202ec'
>>> for_spreadsheet("=1+1"), for_spreadsheet("1+1")
("'=1+1", '1+1')
"""

import re
from collections.abc import Mapping

# Control characters but tab and line feed, and the marks that turn the direction of writing.
_MOVES = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)
# What makes a spreadsheet take a cell for a formula.
_FORMULA = re.compile(r"\s*[=+\-@|%]|[\t\r\n]")


def for_terminal(text: str) -> str:
    """Without anything that moves the cursor, changes colours or turns the text around."""
    return _MOVES.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def for_spreadsheet(text: str) -> str:
    """With an apostrophe before what a spreadsheet would execute."""
    return f"'{text}" if _FORMULA.match(text) else text


def for_csv(row: Mapping[str, str | int | float]) -> dict[str, str | int | float]:
    """A row whose texts no spreadsheet executes; numbers stay numbers."""
    return {k: for_spreadsheet(v) if isinstance(v, str) else v for k, v in row.items()}
