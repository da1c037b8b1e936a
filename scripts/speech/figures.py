"""What a trained cell does on the test part: errors, segments; and paired differences."""

import dataclasses
import time
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    model: CtcModel | SwanModel, data: Data, some: list[Recording], beam: int
) -> dict[str, Any]:
    """Symbols, words and utterances wrong, in percent, and the errors of each recording."""
    started = time.process_time()
    references = data.references(some)
    outputs = references.outputs(model, beam=beam)
    level = LEVELS[data.level]
    symbols = count_errors(outputs, references.references)
    names = [written(data.symbols.names(each), level).split() for each in outputs]
    words = count_errors(names, [[(each.words or "").split()] for each in some])
    found: dict[str, Any] = {
        "symbols": percent(interval(symbols.edits, symbols.symbols)),
        "utterances": percent(interval(symbols.wrong, np.ones_like(symbols.wrong))),
        "processor_seconds": round(time.process_time() - started, 1),
        "errors": {"symbols": _joined(symbols.edits, symbols.symbols)},
    }
    if level != PHONES:
        found["words"] = percent(interval(words.edits, words.symbols))
        found["errors"]["words"] = _joined(words.edits, words.symbols)
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


def errors_over_seeds(seeds: list[dict[str, Any]], what: str) -> DocumentScores | None:
    """Wrong symbols, words or utterances of each recording, and how many it has, added over seeds.

    None where there are none: words of phonemes.
    """
    kept = [each["errors"].get("symbols" if what == "utterances" else what) for each in seeds]
    if None in kept:
        return None
    wrong, counts = (
        np.array([each[column].split() for each in kept], dtype=np.int64)
        for column in ("wrong", "of")
    )
    if what == "utterances":
        wrong, counts = np.sign(wrong), np.ones_like(counts)
    return DocumentScores(wrong.sum(0).astype(float), counts.sum(0))


def paired_difference(
    first: list[dict[str, Any]], second: list[dict[str, Any]]
) -> dict[str, dict[str, float]]:
    """Wrong ones of the first minus the second, in points, over the same seeds."""
    found = {}
    for what in ("symbols", "words", "utterances"):
        one, other = errors_over_seeds(first, what), errors_over_seeds(second, what)
        if one is not None and other is not None:
            found[what] = percent(bootstrap_difference(one, other))
    return found


def _joined(wrong: NDArray[np.int64], counts: NDArray[np.int64]) -> dict[str, str]:
    return {"wrong": " ".join(map(str, wrong)), "of": " ".join(map(str, counts))}


def percent(found: Interval) -> dict[str, float]:
    """Of shares."""
    return {name: round(100 * value, 2) for name, value in dataclasses.asdict(found).items()}
