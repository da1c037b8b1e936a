"""Text of strangers made harmless for the place where it is shown.

>>> for_terminal("a\\x1b[31mb\\u202ec")
'a\\\\x1b[31mb\\\\u202ec'
>>> for_line("two\\nlines")
'two\\\\nlines'
>>> for_spreadsheet("=1+1"), for_spreadsheet("1+1")
("'=1+1", '1+1')
>>> for_page("a\\x00b\\u202ec")
'a�b⇄c'
>>> for_script({"text": "</script>"})
'{"text":"\\\\u003c/script\\\\u003e"}'
"""

import json
import re
from collections.abc import Mapping
from typing import Any

# Control characters but tab and line feed, the marks that turn the direction of writing, and halves
# of surrogate pairs (undecodable bytes of file names among them), which no stream can encode.
_MOVES = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff]"
)
_BREAKS = re.compile("[\t\n]")
# What makes a spreadsheet take a cell for a formula; some take the wide signs for the plain ones.
_FORMULA = re.compile("\\s*[=+\\-@|%\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")


REVERSAL = "⇄"  # in place of a mark that turns the direction of writing
UNREADABLE = "�"
_PICTURES: dict[int, str] = {
    **dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], UNREADABLE),
    **{ord("\t"): "\t", ord("\n"): "\n", ord("\r"): " "},
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], REVERSAL),
    **dict.fromkeys(range(0xD800, 0xE000), UNREADABLE),
}
_INSIDE_SCRIPT = {
    ord("<"): "\\u003c",
    ord(">"): "\\u003e",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}


def for_terminal(text: str) -> str:
    """Without anything that moves the cursor, changes colours or turns the text around."""
    return _MOVES.sub(_escaped, text)


def for_line(text: str) -> str:
    """As :func:`for_terminal`, and without anything that ends the line or the column."""
    return _BREAKS.sub(_escaped, for_terminal(text))


def excerpt(text: str, longest: int) -> str:
    """The beginning of a text in one line, without anything that is not printed.

    >>> excerpt("one\\n\\x1btwo  three", 8)
    'one two ...'
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= longest else line[:longest] + "..."


def for_page(text: str) -> str:
    """With a picture for every character that has none, one for one: places stay where they are."""
    return text.translate(_PICTURES)


def for_script(values: Any) -> str:
    """Compact JSON that no text in it can end, where it stands inside a script element of HTML."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(_INSIDE_SCRIPT)


def for_spreadsheet(text: str) -> str:
    """With an apostrophe before what a spreadsheet would execute."""
    return f"'{text}" if _FORMULA.match(text) else text


def for_csv(row: Mapping[str, str | int | float]) -> dict[str, str | int | float]:
    """A row whose texts no spreadsheet executes; numbers stay numbers."""
    return {k: for_spreadsheet(v) if isinstance(v, str) else v for k, v in row.items()}


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
