"""Settings in, a finished run folder out: read pairs, train, keep the best epoch.

The command line trains through :func:`train`, the estimator through :func:`learn_entries`; both
split, check and learn in the same way.
"""

import dataclasses
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from pytorch_lightning.callbacks import Callback

from segtopic.config import PairsConfig, SwanConfig, SwanSettings, SwanTraining, part_of
from segtopic.config.rounding import check_rounding
from segtopic.corpus.records import BadLines
from segtopic.errors import CorpusError, RunError
from segtopic.harmless import excerpt
from segtopic.runs.claim import claimed
from segtopic.runs.folder import SEQUENCES, save_config
from segtopic.runs.seal import save_results
from segtopic.runs.weights import for_use
from segtopic.swan.learning import learn
from segtopic.swan.pairs import Entry, Writing, pairs_of, read_entries, split_entries
from segtopic.swan.trained import TrainedSwan, load_swan, save_parts
from segtopic.training.checkpoints import ROOM

LONGEST_EXCERPT = 60


class Parts(NamedTuple):
    """What is learned, and what tells which epoch is the best."""

    training: list[Entry]
    development: list[Entry]


def train(
    config: SwanConfig,
    folder: Path | str,
    *,
    resume: bool = False,
    overwrite: bool = False,
    keep_checkpoints: bool = False,
    callbacks: Sequence[Callback] = (),
    bad_lines: BadLines | None = None,
) -> TrainedSwan:
    """Train a model on the file of pairs that the settings name.

    Args:
        config: what to train on what.
        folder: of the run; must not hold another one.
        resume: go on where an interrupted training in this folder stopped.
        overwrite: replace the run in this folder.
        keep_checkpoints: also when the training has finished.
        callbacks: Lightning's, for progress.
        bad_lines: counts what was skipped.
    """
    check_rounding(config.precision)
    folder, config = Path(folder), anchored(config)
    bad_lines = bad_lines or BadLines(config.on_bad_line)
    with claimed(folder, config, resume, overwrite, SEQUENCES, keep_checkpoints) as run:
        parts = read_parts(config, bad_lines)
        check_possible(parts, config)
        run.make_room()
        save_config(folder, config)
        try:
            trained = learn_entries(parts, config, folder, callbacks, resume)
        except OSError as error:  # of Lightning; our own files tell more
            raise RunError(
                f"{error.filename or folder}: cannot be written ({error.strerror or error}); {ROOM}"
            ) from None
        save_parts(folder, trained.predictor, trained.development)
        save_results(folder, trained.results, SEQUENCES)
        run.tidy_up()
    return load_swan(folder)


def read_parts(config: PairsConfig, bad_lines: BadLines) -> Parts:
    """The pairs of the files that the settings name."""
    writing = Writing.of(config)
    entries = read_entries(config.data, writing, config, bad_lines)
    if config.dev is None:
        return split(entries, config)
    return Parts(entries, read_entries(config.dev, writing, config, bad_lines))


def split(entries: Sequence[Entry], config: PairsConfig) -> Parts:
    """A share of the inputs for development, at least one."""
    if len(entries) < 2:
        raise CorpusError(
            f"there {'is' if entries else 'are'} only {len(entries)} input: one is needed to learn "
            "from, and one to tell which epoch is the best; give more pairs"
        )
    wanted = max(round(config.dev_share * len(entries)), 1)
    return Parts(*split_entries(entries, min(wanted, len(entries) - 1), config.split_seed))


def learn_entries(
    parts: Parts,
    config: SwanConfig,
    folder: Path,
    callbacks: Sequence[Callback] = (),
    resume: bool = False,
) -> TrainedSwan:
    """Train a model; the folder gets its checkpoints and ``metrics.csv``."""
    settings, schedule = part_of(config, SwanSettings), part_of(config, SwanTraining)
    started = time.monotonic()
    with torch.random.fork_rng(devices=[]):  # the user's own random numbers are left as they were
        learned = learn(
            parts.training, parts.development, settings, schedule, folder, callbacks, resume
        )
    predictor = learned.predictor
    results = {
        **learned.figures,
        "inputs": len(parts.training),
        "pairs": len(pairs_of(parts.training)) - len(learned.impossible),
        "impossible_pairs": len(learned.impossible),
        "development_inputs": len(parts.development),
        "parameters": sum(parameter.numel() for parameter in predictor.model.parameters()),
        "seconds": round(time.monotonic() - started, 1),
    }
    for_use(predictor.model)
    return TrainedSwan(config, predictor, parts.development, results)


def check_possible(parts: Parts, config: SwanConfig) -> None:
    """Refuse pairs with more outputs than their inputs can emit, unless they are to be skipped."""
    if config.on_bad_line == "skip":
        return
    settings, pairs = part_of(config, SwanSettings), pairs_of([*parts.training, *parts.development])
    together = settings.stride
    longest = settings.max_segment_length
    impossible = [
        pair for pair in pairs if len(pair.outputs) > longest * (len(pair.inputs) // together)
    ]
    if not impossible:
        return
    first = impossible[0]
    emitters = [(len(pair.inputs) // together) for pair in impossible]
    enough = "or use smaller strides"
    if min(emitters):
        needed = max(
            math.ceil(len(pair.outputs) / n) for pair, n in zip(impossible, emitters, strict=True)
        )
        enough = f"or pass --max-segment-length {needed}"
    shown = [excerpt(" ".join(side), LONGEST_EXCERPT) for side in first]
    raise CorpusError(
        f"{len(impossible):,} of {len(pairs):,} pairs have more outputs than their inputs can "
        f"emit, at most {longest} each (the first: '{shown[0]}' with the output '{shown[1]}'); "
        f"leave them out with --on-bad-line skip, {enough}"
    )


def anchored(config: SwanConfig) -> SwanConfig:
    """The same settings with paths that mean the same from every folder."""

    def absolute(path: str) -> str:
        return path if path == "-" else str(Path(path).expanduser().absolute())

    dev = None if config.dev is None else absolute(config.dev)
    return dataclasses.replace(config, data=absolute(config.data), dev=dev)
