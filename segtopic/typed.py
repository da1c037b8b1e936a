"""Values from files against the types of settings: does it fit, and what was wanted, in words.

>>> fits(3, int | None), fits("3", int | None), fits(["a", 1], Sequence[str])
(True, False, False)
>>> in_words(int | None), in_words(Literal["error", "skip"])
('a whole number', 'one of error, skip')
"""

import reprlib
from collections.abc import Sequence
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

_WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the type that is wanted; a whole number is a number too."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return any(value == part and type(value) is type(part) for part in parts)
    if origin in (Union, UnionType):
        return any(fits(value, part) for part in parts)
    if origin in (list, tuple, Sequence):
        is_row = isinstance(value, (list, tuple))
        if origin is tuple and parts[-1] is not Ellipsis:
            return is_row and len(value) == len(parts) and all(map(fits, value, parts))
        return is_row and all(fits(item, parts[0]) for item in value)
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)


def in_words(hint: Any) -> str:
    """What a type is for people who write settings."""
    if hint in _WORDS:
        return _WORDS[hint]
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    if get_origin(hint) in (list, tuple, Sequence):
        return "a list"
    parts = [in_words(part) for part in get_args(hint) if part is not NoneType]
    return " or ".join(dict.fromkeys(parts)) if parts else str(hint)


def shown(value: Any) -> str:
    """A value for an error message, a few characters of it, however large it is.

    >>> shown(list(range(10**6)))
    '[0, 1, 2, 3, 4, 5, ...]'
    """
    return str(value)[:200] if isinstance(value, str) else reprlib.repr(value)
