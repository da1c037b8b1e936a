"""How good a trained sequence model is on pairs: errors, likelihood, lengths of segments.

A word is right if its best output equals any of its references; symbol errors are the edits to the
closest one. Both have bootstrap intervals over the inputs. The likelihood is per output symbol and
end, over every reference that the model can say at all.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch

from segtopic.config import SearchConfig
from segtopic.evaluate.bootstrap import Interval, bootstrap_interval
from segtopic.evaluate.heldout import DocumentScores
from segtopic.lattice import grid_log_partition, grid_posteriors
from segtopic.swan.batches import NumberedPairs
from segtopic.swan.error_rates import ErrorCounts, count_errors
from segtopic.swan.pairs import Entry, pairs_of
from segtopic.swan.predictor import AT_ONCE, SwanPredictor

Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class SwanEvaluation:
    """Figures of some pairs.

    Attributes:
        inputs: How many different ones.
        pairs: How many references they have together.
        impossible_pairs: References with a symbol that the model does not know, or longer than the
            input can emit; they have no likelihood.
        words_wrong: Share of the inputs.
        symbols_wrong: Edits over symbols.
        nats_per_symbol: Negative log likelihood.
        segment_length: Outputs of a segment that is not empty, expected over all paths.
        empty_segments: Share of the inputs that emit nothing, expected over all paths.
    """

    inputs: int
    pairs: int
    impossible_pairs: int
    words_wrong: Interval
    symbols_wrong: Interval
    nats_per_symbol: float
    segment_length: float
    empty_segments: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON; ``None`` for what is no number."""
        values = asdict(self)
        return {
            name: None if isinstance(value, float) and value != value else value
            for name, value in values.items()
        }


def evaluate_pairs(
    predictor: SwanPredictor,
    entries: Sequence[Entry],
    search: SearchConfig,
    progress: Progress = lambda stage, count: None,
) -> SwanEvaluation:
    """Decode the inputs and compare with their references."""
    errors = _errors(predictor, entries, search, progress)
    pairs = pairs_of(entries)
    possible = [
        pair
        for pair in pairs
        if predictor.outputs.knows(pair.outputs)
        and predictor.model.is_possible(len(pair.inputs), len(pair.outputs))
    ]
    nats, counts, done = 0.0, torch.zeros(predictor.model.settings.max_segment_length + 1), 0
    numbered = NumberedPairs.of(possible, predictor.inputs, predictor.outputs)
    with torch.no_grad():
        for batch in numbered.in_order(AT_ONCE):
            scored = predictor.model.score(batch)
            counts = counts + grid_posteriors(*scored).sum((0, 1, 2))
            nats -= float(grid_log_partition(*scored).sum())
            done += len(batch.inputs)
            progress("scoring", done)
    symbols = sum(len(pair.outputs) + 1 for pair in possible)
    sizes = torch.arange(len(counts))
    nothing = float("nan")
    return SwanEvaluation(
        inputs=len(entries),
        pairs=len(pairs),
        impossible_pairs=len(pairs) - len(possible),
        words_wrong=_interval(errors.wrong, np.ones_like(errors.wrong)),
        symbols_wrong=_interval(errors.edits, errors.symbols),
        nats_per_symbol=nats / symbols if possible else nothing,
        segment_length=float((counts * sizes).sum() / counts[1:].sum()) if possible else nothing,
        empty_segments=float(counts[0] / counts.sum()) if possible else nothing,
    )


def _errors(
    predictor: SwanPredictor, entries: Sequence[Entry], search: SearchConfig, progress: Progress
) -> ErrorCounts:
    best = []
    for begin in range(0, len(entries), AT_ONCE):
        some = [entry.inputs for entry in entries[begin : begin + AT_ONCE]]
        found = predictor.predict(
            some, beam=search.beam, local_beam=search.local_beam, merge=search.merge
        )
        best += [predictions[0].outputs for predictions in found]
        progress("decoding", len(best))
    return count_errors(best, [entry.references for entry in entries])


def _interval(errors: Any, counts: Any) -> Interval:
    return bootstrap_interval(DocumentScores(errors.astype(float), counts))
