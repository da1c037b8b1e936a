"""From pairs of symbols to a predictor: tables, possible pairs, a new model, training."""

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from pytorch_lightning.callbacks import Callback

from segtopic.config import SwanSettings, SwanTraining
from segtopic.errors import CorpusError
from segtopic.swan.batches import NumberedPairs
from segtopic.swan.development import Development
from segtopic.swan.model import new_model
from segtopic.swan.pairs import Entry, Pair, pairs_of
from segtopic.swan.predictor import SwanPredictor
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
    resume: bool = True,
) -> Learned:
    """Train a model on entries, and keep the epoch that is best on the development entries.

    The symbols are those of all entries. A training of the same entries that was interrupted in the
    folder goes on, if ``resume`` says so.
    """
    entries = [*training, *development]
    inputs = SymbolTable.of(entry.inputs for entry in entries)
    outputs = SymbolTable.of(outputs for entry in entries for outputs in entry.references)
    torch.manual_seed(schedule.seed)
    model = new_model(settings, inputs, outputs)
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
        NumberedPairs.of(possible, inputs, outputs),
        NumberedPairs.of(pairs_of(development), inputs, outputs),
        Development.of(development, inputs, outputs),
        schedule,
        folder,
        callbacks,
        resume,
        _origin(training, development, settings, schedule),
    )
    return Learned(SwanPredictor(model, inputs, outputs), figures, impossible)


def _origin(
    training: Sequence[Entry],
    development: Sequence[Entry],
    settings: SwanSettings,
    schedule: SwanTraining,
) -> dict[str, Any]:
    """What an interrupted training must share with the one that goes on with it."""
    digest = hashlib.sha256()
    for part in (training, development):
        for entry in part:
            digest.update(json.dumps(entry).encode())
        digest.update(b"\n")
    values = {**dataclasses.asdict(settings), **dataclasses.asdict(schedule)}
    del values["threads"]
    values["strides"] = list(settings.strides)
    return {**values, "pairs": digest.hexdigest()}
