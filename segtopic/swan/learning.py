"""From pairs of symbols to a predictor: tables, possible pairs, a new model, training."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from pytorch_lightning.callbacks import Callback

from segtopic.errors import CorpusError
from segtopic.swan.batches import NumberedPairs
from segtopic.swan.development import Development
from segtopic.swan.encoder import RecurrentEncoder
from segtopic.swan.model import SwanModel
from segtopic.swan.pairs import Entry, Pair, pairs_of
from segtopic.swan.predictor import SwanPredictor
from segtopic.swan.settings import SwanSettings, SwanTraining
from segtopic.swan.symbols import SymbolTable
from segtopic.swan.training import fit


class Learned(NamedTuple):
    """What a training leaves.

    Attributes:
        predictor: the model of the best epoch with its symbols.
        figures: of the training.
        impossible: training pairs that were left out, because their inputs cannot emit so many
            outputs.
    """

    predictor: SwanPredictor
    figures: dict[str, Any]
    impossible: list[Pair]


def learn(
    training: Sequence[Entry],
    development: Sequence[Entry],
    settings: SwanSettings,
    schedule: SwanTraining,
    folder: Path,
    callbacks: Sequence[Callback] = (),
) -> Learned:
    """Train a model on entries, and stop at the epoch that is best on the development entries.

    The symbols are those of the training entries; a development entry with another symbol is an
    error. A training that was interrupted in the folder goes on.
    """
    inputs = SymbolTable.of(entry.inputs for entry in training)
    outputs = SymbolTable.of(outputs for entry in training for outputs in entry.references)
    torch.manual_seed(schedule.seed)
    model = SwanModel(settings, RecurrentEncoder(settings, len(inputs)), len(outputs))
    possible: list[Pair] = []
    impossible: list[Pair] = []
    for pair in pairs_of(training):
        fits = model.is_possible(len(pair.inputs), len(pair.outputs))
        (possible if fits else impossible).append(pair)
    if not possible:
        raise CorpusError(
            f"none of the {len(impossible)} pairs is possible with segments of at most "
            f"{settings.max_segment_length} outputs; raise max_segment_length"
        )
    figures = fit(
        model,
        NumberedPairs(possible, inputs, outputs),
        NumberedPairs(pairs_of(development), inputs, outputs),
        Development.of(development, inputs, outputs),
        schedule,
        folder,
        callbacks,
    )
    return Learned(SwanPredictor(model, inputs, outputs), figures, impossible)
