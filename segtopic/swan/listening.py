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
from segtopic.errors import CorpusError, RunError
from segtopic.runs.claim import claimed
from segtopic.runs.folder import SEQUENCES, save_config
from segtopic.runs.seal import save_results
from segtopic.runs.weights import for_use
from segtopic.speech.recordings import Recording
from segtopic.speech.store import FeatureStore
from segtopic.swan.batches import NumberedPairs
from segtopic.swan.development import Development
from segtopic.swan.heard import TrainedListener, load_listener, new_listener_model, save_listener
from segtopic.swan.listener import Listener
from segtopic.swan.spoken import Utterance, parts_of, utterances
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
) -> TrainedListener:
    """Train a model on the folder of features that the settings name.

    The arguments are those of :func:`segtopic.swan.run.train`.
    """
    check_rounding(config.precision)
    folder, data = Path(folder), Path(config.data).expanduser().absolute()
    config = dataclasses.replace(config, data=str(data))
    with claimed(folder, config, resume, overwrite, SEQUENCES, keep_checkpoints) as run:
        store = FeatureStore(data)
        if config.dev is None:
            training, development = parts_of(store, config.dev_share, config.split_seed)
        else:
            training = list(store.recordings(["train"]))
            development = list(FeatureStore(Path(config.dev).expanduser()).recordings())
        utterances([*training, *development][:1], config.output_symbols, store.normaliser)
        run.make_room()
        save_config(folder, config)
        try:
            listener, results = _learn(
                store, training, development, config, folder, callbacks, resume
            )
        except OSError as error:  # of Lightning; our own files tell more
            raise RunError(
                f"{error.filename or folder}: cannot be written ({error.strerror or error}); {ROOM}"
            ) from None
        save_listener(folder, listener, development)
        save_results(folder, results, SEQUENCES)
        run.tidy_up()
    return load_listener(folder)


def _learn(
    store: FeatureStore,
    training: Sequence[Recording],
    development: Sequence[Recording],
    config: SwanConfig,
    folder: Path,
    callbacks: Sequence[Callback],
    resume: bool,
) -> tuple[Listener, dict[str, Any]]:
    settings, schedule = part_of(config, SwanSettings), part_of(config, SwanTraining)
    started, level = time.monotonic(), config.output_symbols
    learned = utterances(training, level, store.normaliser)
    held_out = utterances(development, level, store.normaliser)
    table = SymbolTable.of(each.outputs for each in (*learned, *held_out))
    with torch.random.fork_rng(devices=[]):  # the user's own random numbers are left as they were
        torch.manual_seed(schedule.seed)
        model = new_listener_model(settings, store.width, len(table))
        possible = [
            each for each in learned if model.is_possible(len(each.inputs), len(each.outputs))
        ]
        if not possible:
            raise CorpusError(
                f"none of the {len(learned)} recordings is long enough for what is said in it; "
                "use smaller strides, or raise max_segment_length"
            )
        figures = fit(
            model,
            _numbered(possible, table),
            _numbered(held_out, table),
            Development(
                [each.inputs for each in held_out],
                [[tuple(table.numbers(each.outputs))] for each in held_out],
                by_symbols=True,
            ),
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


def _numbered(some: Sequence[Utterance], table: SymbolTable) -> NumberedPairs:
    return NumberedPairs(
        [each.inputs for each in some], [table.numbers(each.outputs) for each in some]
    )


def _origin(store: FeatureStore, config: SwanConfig) -> dict[str, Any]:
    """What an interrupted training must share with the one that goes on with it."""
    values = dataclasses.asdict(config)
    for name in ("threads", "data", "dev"):
        del values[name]
    return {**values, "strides": list(config.strides), "features": store.digest}
