"""The settings of a run as the page tells them: ``config.yaml`` in, names and values out."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from segtopic.harmless import for_page
from segtopic.report.figures import NOTHING
from segtopic.runs.kinds import CONFIG

Group = tuple[str, list[tuple[str, str]]]


def settings_in_words(folder: Path, groups: Sequence[tuple[str, type]]) -> list[Group]:
    """Every setting of the run, by the settings classes of its groups."""
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
    return for_page(", ".join(map(str, value)) if isinstance(value, list) else str(value))
