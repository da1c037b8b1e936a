"""A list of one's own recordings: CSV or JSON lines with a sound or feature file and a transcript.

    audio,transcript,part,speaker
    clips/a.wav,good morning,train,ann

Columns: ``audio`` (a path, or several with semicolons between them) or ``features`` (a ``.npy``
file of ``(frames, numbers)``); ``transcript``; and if they are known ``phones`` (with spaces
between them), ``part`` ('train' if not given), ``speaker`` and ``name``. Paths are relative to the
list.
"""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from segtopic.errors import CorpusError
from segtopic.speech.recordings import Features, Recording

COLUMNS = ("audio", "features", "transcript", "phones", "part", "speaker", "name")
SUFFIXES = (".csv", ".jsonl")


def is_manifest(path: Path) -> bool:
    """Whether it is a list by its name."""
    return path.suffix.lower() in SUFFIXES


def read_manifest(path: Path) -> Iterator[Recording]:
    """A recording for each line."""
    names: set[str] = set()
    for number, row in _rows(path):
        place = f"{path}: line {number}"
        unknown = sorted(set(row) - set(COLUMNS))
        if unknown:
            raise CorpusError(f"{place}: has '{unknown[0]}'; what is read is {', '.join(COLUMNS)}")
        audio, features = row.get("audio", ""), row.get("features", "")
        if bool(audio) == bool(features):
            raise CorpusError(f"{place}: must name either audio or features")
        name = row.get("name") or audio or features
        if name in names:
            raise CorpusError(f"{place}: '{name}' comes again; give every recording its own name")
        names.add(name)
        yield Recording(
            name,
            row.get("part") or "train",
            row.get("speaker", ""),
            words=row.get("transcript") or None,
            phones=tuple(row["phones"].split()) if row.get("phones") else None,
            audio=tuple(path.parent / each for each in audio.split(";") if each),
            features=_features(path.parent / features) if features else None,
        )


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            if path.suffix.lower() == ".csv":
                for row in (reader := csv.DictReader(file)):
                    if None in row:
                        raise CorpusError(f"{path}: line {reader.line_num}: has too many cells")
                    yield reader.line_num, {key: value or "" for key, value in row.items()}
                return
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, _texts(json.loads(line), f"{path}: line {number}")
    except (OSError, UnicodeError, csv.Error, ValueError, RecursionError) as error:
        raise CorpusError(f"{path}: cannot be read ({error})") from None


def _texts(row: Any, place: str) -> dict[str, str]:
    if not isinstance(row, dict) or not all(isinstance(value, str) for value in row.values()):
        raise CorpusError(f"{place}: must be an object whose values are texts")
    return row


def _features(path: Path) -> Features:
    try:
        found = np.load(path, allow_pickle=False)
        if found.ndim != 2 or not np.isfinite(found).all():
            raise ValueError(f"its shape is {found.shape}")
    except (OSError, ValueError, TypeError, EOFError) as error:
        raise CorpusError(f"{path}: holds no rows of numbers ({error})") from None
    features: Features = found.astype(np.float32)
    return features
