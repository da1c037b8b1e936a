"""Numbers and settings as people read them.

>>> number(-6.8874), with_interval(Interval(-6.887, -6.995, -6.771))
('−6.887', '−6.887 [−6.995, −6.771]')
>>> duration(257.3), share(0.14093)
('4 min 17 s', '14.1 %')
"""

import math
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from segtopic.evaluate.bootstrap import Interval
from segtopic.harmless import for_page
from segtopic.runs.folder import CONFIG

MINUS, TIMES, NOTHING = "\u2212", "\u00d7", "\u2013"


def number(value: float, digits: int = 3) -> str:
    """With a real minus sign; a dash for no number."""
    if not math.isfinite(value):
        return NOTHING
    text = f"{value:,.{digits}f}"
    return text.replace("-", MINUS) if float(text.replace(",", "")) else text.lstrip("-")


def with_interval(interval: Interval, digits: int = 3) -> str:
    """A mean and its interval."""
    return f"{number(interval.mean, digits)} {bounds(interval, digits)}"


def bounds(interval: Interval, digits: int = 3) -> str:
    """The interval alone."""
    return f"[{number(interval.low, digits)}, {number(interval.high, digits)}]"


def share(value: float) -> str:
    """A share of a whole."""
    return f"{number(100 * value, 1)} %"


def duration(seconds: float) -> str:
    """Seconds, minutes or hours."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


Group = tuple[str, list[tuple[str, str]]]


def settings_in_words(folder: Path, groups: Sequence[tuple[str, type]]) -> list[Group]:
    """Every setting in ``config.yaml`` of the run, by the settings classes of its groups."""
    values = yaml.safe_load((folder / CONFIG).read_text(encoding="utf-8"))
    told = []
    for title, part in groups:
        names = [field.name for field in fields(part) if field.name in values]
        told.append((title, [(name, _in_words(values.pop(name))) for name in names]))
    trainer = values.get("trainer") or {}
    return [*told, ("Trainer", [(name, _in_words(value)) for name, value in trainer.items()])]


def _in_words(value: Any) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        between = "; " if any(isinstance(item, list) for item in value) else ", "
        return between.join(map(_in_words, value))
    return for_page(str(value))
