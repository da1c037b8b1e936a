"""What a trained cell does on the test part: errors, segments; and paired differences."""

import dataclasses
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from segtopic.config.swan import CHARACTERS, PHONES, SPACES
from segtopic.evaluate.bootstrap import Interval, bootstrap_difference
from segtopic.evaluate.heldout import DocumentScores
from segtopic.speech.recordings import Recording
from segtopic.speech.store import Normaliser
from segtopic.swan.ctc import CtcModel
from segtopic.swan.error_rates import count_errors
from segtopic.swan.hearing import interval, mean_length
from segtopic.swan.listener import Listener
from segtopic.swan.model import SwanModel
from segtopic.swan.spoken import utterances, written
from speech.data import Data

LEVELS = {"chars": CHARACTERS, "words": SPACES, "phones": PHONES}


def error_figures(
    model: CtcModel | SwanModel, data: Data, some: list[Recording], beam: int, kept: Path
) -> dict[str, Any]:
    """Symbols, words and utterances wrong, in percent; the errors of each stay in a file."""
    started = time.process_time()
    references = data.references(some)
    outputs = references.outputs(model, beam=beam)
    level = LEVELS[data.level]
    symbols = count_errors(outputs, references.references)
    names = [written(data.symbols.names(each), level).split() for each in outputs]
    words = count_errors(names, [[(each.words or "").split()] for each in some])
    np.savez(
        kept,
        symbols=(symbols.edits, symbols.symbols),
        words=(words.edits, words.symbols if level != PHONES else 0 * words.symbols),
    )
    found = {
        "symbols": _percent(interval(symbols.edits, symbols.symbols)),
        "utterances": _percent(interval(symbols.wrong, np.ones_like(symbols.wrong))),
        "processor_seconds": round(time.process_time() - started, 1),
    }
    if level != PHONES:
        found["words"] = _percent(interval(words.edits, words.symbols))
    return found


def segment_figures(model: SwanModel, data: Data, some: list[Recording]) -> dict[str, Any]:
    """Lengths of segments on the best paths of what was said, and the most frequent ones."""
    level, counts = LEVELS[data.level], Counter[tuple[str, ...]]()
    listener = Listener(
        model.double(), data.symbols, level, Normaliser(data.mean, data.deviation), None
    )
    for each in utterances(some, level, listener.normaliser):
        if listener.can_say(each):
            counts.update(s.symbols for s in listener.align(each.inputs, each.outputs).segments)
    model.float()
    sizes = Counter(dict.fromkeys(range(1, model.settings.max_segment_length + 1), 0))
    for segment, count in counts.items():
        sizes[len(segment)] += count
    several = [each for each in counts.most_common() if len(each[0]) > 1][:15]
    return {
        "mean_length": round(mean_length(counts) or 0, 3),
        "by_length": [sizes[size] for size in sorted(sizes)],
        "frequent": [[written(each, level), count] for each, count in several],
    }


def paired_difference(first: list[Path], second: list[Path]) -> dict[str, dict[str, float]]:
    """Wrong ones of the first minus the second, in points; errors of all seeds are added.

    Of symbols, and of words if there are any.
    """
    found = {}
    for what in ("symbols", "words"):
        one, other = _added(first, what), _added(second, what)
        if one.words.any():
            found[what] = _percent(bootstrap_difference(one, other))
    return found


def _added(kept: list[Path], what: str) -> DocumentScores:
    edits, counts = sum(np.load(path)[what] for path in kept)
    return DocumentScores(edits.astype(float), counts)


def _percent(found: Interval) -> dict[str, float]:
    return {name: round(100 * value, 2) for name, value in dataclasses.asdict(found).items()}
