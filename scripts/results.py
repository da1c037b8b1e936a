"""What experiments found, kept in small files that are committed; Markdown tables of them."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Result = dict[str, Any]


def read(path: Path) -> Result:
    """A stored result; an empty one if there is none."""
    return json.loads(path.read_text()) if path.exists() else {}


def keep(path: Path, key: str, make: Callable[[], Any], again: bool = False) -> None:
    """Make one part of a result and store it at once, unless it is there and not wanted again."""
    result = read(path)
    if again or key not in result:
        result[key] = make()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(result, indent=1) + "\n")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


def number(result: Result, name: str, form: str = ".3f") -> str:
    """A figure for a table; nothing if it was not made."""
    return f"{result[name]:{form}}" if name in result else ""


def interval(values: Result | None, digits: int = 3) -> str:
    """A mean and its interval for a table."""
    if not values:
        return ""
    mean, low, high = (f"{values[name]:.{digits}f}" for name in ("mean", "low", "high"))
    return f"{mean} [{low}, {high}]"
