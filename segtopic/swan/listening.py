"""Training on recorded speech: a folder of features in, a finished run folder out."""

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from pytorch_lightning.callbacks import Callback

from segtopic.config import SwanConfig, SwanSettings, SwanTraining, part_of
from segtopic.config.rounding import check_rounding
from segtopic.corpus.records import BadLines
from segtopic.errors import RunError
from segtopic.runs.claim import claimed
from segtopic.runs.folder import SEQUENCES, save_config
from segtopic.runs.seal import save_results
from segtopic.runs.weights import for_use
from segtopic.speech.store import FeatureStore
from segtopic.speech.timit import fold
from segtopic.swan.batches import NumberedPairs
from segtopic.swan.development import Development
from segtopic.swan.heard import (
    TrainedListener,
    load_listener,
    new_listener_model,
    save_listener,
)
from segtopic.swan.hearing import is_folded
from segtopic.swan.lesson import Lesson, is_possible, lesson_of, parts_of
from segtopic.swan.listener import Listener
from segtopic.swan.pairs import Symbols
from segtopic.swan.run import anchored
from segtopic.swan.spoken import Utterance
from segtopic.swan.symbols import SymbolTable
from segtopic.swan.training import fit
from segtopic.training.checkpoints import ROOM


def train_listener(
    config: SwanConfig,
    folder: Path | str,
    *,
    resume: bool = False,
    overwrite: bool = False,
    keep_checkpoints: bool = False,
    callbacks: Sequence[Callback] = (),
    bad_lines: BadLines | None = None,
) -> TrainedListener:
    """Train a model on the folder of features that the settings name.

    The arguments are those of :func:`segtopic.swan.run.train`.
    """
    check_rounding(config.precision)
    folder, config = Path(folder), anchored(config)
    with claimed(folder, config, resume, overwrite, SEQUENCES, keep_checkpoints) as run:
        store = FeatureStore(Path(config.data))
        parts = parts_of(store, config, bad_lines or BadLines(config.on_bad_line))
        lesson = lesson_of(parts, store, config)
        run.make_room()
        save_config(folder, config)
        try:
            listener, results = _learn(lesson, store, config, folder, callbacks, resume)
        except OSError as error:  # of Lightning; our own files tell more
            raise RunError(
                f"{error.filename or folder}: cannot be written ({error.strerror or error}); {ROOM}"
            ) from None
        save_listener(folder, listener, parts.development)
        save_results(folder, results, SEQUENCES)
        run.tidy_up()
    return load_listener(folder)


def _learn(
    lesson: Lesson,
    store: FeatureStore,
    config: SwanConfig,
    folder: Path,
    callbacks: Sequence[Callback],
    resume: bool,
) -> tuple[Listener, dict[str, Any]]:
    settings, schedule = part_of(config, SwanSettings), part_of(config, SwanTraining)
    started, level, (learned, held_out, table) = time.monotonic(), config.output_symbols, lesson
    possible = [each for each in learned if is_possible(each, config)]
    with torch.random.fork_rng(devices=[]):  # the user's own random numbers are left as they were
        torch.manual_seed(schedule.seed)
        model = new_listener_model(settings, store.width, len(table))
        figures = fit(
            model,
            _numbered(possible, table),
            _numbered(held_out, table),
            as_development(held_out, table, level),
            schedule,
            folder,
            callbacks,
            resume,
            _origin(store, config),
        )
    results = {
        **figures,
        "inputs": len(learned),
        "pairs": len(possible),
        "impossible_pairs": len(learned) - len(possible),
        "development_inputs": len(held_out),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "seconds": round(time.monotonic() - started, 1),
    }
    return Listener(for_use(model), table, level, store.normaliser, store.banks), results


def as_development(some: Sequence[Utterance], table: SymbolTable, level: str) -> Development:
    """Recordings that tell the best epoch; errors are counted as an evaluation counts them."""

    def folded(numbers: Sequence[int]) -> Symbols:
        return fold(table.names(numbers))

    return Development(
        [each.inputs for each in some],
        [[tuple(table.numbers(each.outputs))] for each in some],
        by_symbols=True,
        compared=folded if is_folded(level, table) else tuple,
    )


def _numbered(some: Sequence[Utterance], table: SymbolTable) -> NumberedPairs:
    return NumberedPairs(
        [each.inputs for each in some], [table.numbers(each.outputs) for each in some]
    )


def _origin(store: FeatureStore, config: SwanConfig) -> dict[str, Any]:
    """What an interrupted training must share with the one that goes on with it."""
    values = dataclasses.asdict(config)
    for name in ("threads", "data", "dev"):
        del values[name]
    if config.dev is not None:
        values["development"] = FeatureStore(Path(config.dev)).digest
    return {**values, "strides": list(config.strides), "features": store.digest}
