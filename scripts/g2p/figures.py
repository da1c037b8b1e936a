"""Errors of words in, figures with bootstrap intervals over the words out; all in percent.

The errors of each word stay beside the run in a file of arrays, so that two models can be compared
word by word.
"""

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from segtopic.evaluate.bootstrap import Interval, bootstrap_difference, bootstrap_interval
from segtopic.evaluate.heldout import DocumentScores
from segtopic.swan.error_rates import ErrorCounts

PREFERRED = ("beam 5.npz", "beam 1.npz", "best.npz")  # by which a model is compared with others


def error_figures(errors: Callable[[], ErrorCounts], kept: Path) -> dict[str, Any]:
    """Words and phonemes wrong, and how long it took to find out."""
    started = time.monotonic()
    counts = errors()
    np.savez(kept, **counts._asdict())
    return {
        "words": _percent(bootstrap_interval(_scores(counts.wrong))),
        "phonemes": _percent(bootstrap_interval(_scores(counts.edits, counts.symbols))),
        "seconds": round(time.monotonic() - started, 1),
    }


def paired_difference(first: Path, second: Path) -> dict[str, float]:
    """Words wrong of the first run minus those of the second, on the same words."""
    return _percent(bootstrap_difference(_words_wrong(first), _words_wrong(second)))


def _words_wrong(folder: Path) -> DocumentScores:
    kept = next(folder / name for name in PREFERRED if (folder / name).exists())
    return _scores(np.load(kept)["wrong"])


def _scores(errors: np.ndarray, counts: np.ndarray | None = None) -> DocumentScores:
    """Errors of each word over what could be wrong, as the bootstrap takes them."""
    counts = np.ones_like(errors) if counts is None else counts
    return DocumentScores(errors.astype(float), counts)


def _percent(interval: Interval) -> dict[str, float]:
    return {name: round(100 * value, 2) for name, value in dataclasses.asdict(interval).items()}
