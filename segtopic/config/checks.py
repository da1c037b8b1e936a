"""How settings are made and checked: a mapping in, a dataclass out, or one clear sentence."""

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, TypeVar, get_type_hints

from segtopic.errors import ConfigError
from segtopic.typed import fits, in_words, shown

Settings = TypeVar("Settings")
SWITCH = {"switch": True}
"""Metadata of a field that may be left open, but is told by ``--name`` or ``--no-name``."""


def build(settings: type[Settings], values: Mapping[str, Any]) -> Settings:
    """Make a settings dataclass from a mapping, as files hold it.

    An unknown key names the nearest valid one; a value of another type tells the right one.
    """
    names = [field.name for field in fields(settings)]  # type: ignore[arg-type]
    types = get_type_hints(settings)
    for key, value in values.items():
        if key not in names:
            key = shown(key)
            raise ConfigError(f"unknown setting '{key}'{did_you_mean(key, names)}")
        if not fits(value, types[key]):
            raise ConfigError(f"{key} is '{shown(value)}', but must be {in_words(types[key])}")
    return settings(**values)


def part_of(settings: Any, part: type[Settings]) -> Settings:
    """The fields of a smaller settings class, taken from a larger one."""
    return part(**{field.name: getattr(settings, field.name) for field in fields(part)})  # type: ignore[arg-type]


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """``"; did you mean 'x'?"``, or the list of all when nothing is near."""
    near = get_close_matches(word, known, n=1, cutoff=0.5)
    return f"; did you mean '{near[0]}'?" if near else f"; use one of {', '.join(known)}"


def check_choice(settings: object, name: str, choices: Sequence[str | None]) -> None:
    """Refuse a value that is not one of the choices."""
    value = getattr(settings, name)
    if value not in choices:
        known = [choice for choice in choices if choice is not None]
        raise ConfigError(f"{name} is '{value}'{did_you_mean(str(value), known)}")


def check_range(settings: object, name: str, at_least: float, at_most: float | None = None) -> None:
    """Refuse a number outside the range; ``None`` (not given) passes."""
    value = getattr(settings, name)
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ConfigError(f"{name} is '{value}', but must be a number")
    if not value >= at_least:
        raise ConfigError(f"{name} is {value}, but must be at least {at_least}")
    if at_most is not None and not value <= at_most:
        raise ConfigError(f"{name} is {value}, but must be at most {at_most}")


def check_encoding(settings: object, name: str) -> None:
    """Refuse a character encoding that Python does not know; ``None`` (not given) passes."""
    value = getattr(settings, name)
    if value is None:
        return
    try:
        codecs.lookup(value)
    except LookupError:
        raise ConfigError(
            f"{name} is '{value}', which Python does not know; "
            "use a name such as utf-8, latin-1, cp1252 or utf-16"
        ) from None
