"""Settings in, a finished run folder out: prepare, train, stop early, save the best epoch."""

import dataclasses
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import torch
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.loggers import TensorBoardLogger

from segtopic.config import CorpusConfig, RunConfig, TrainerConfig, part_of
from segtopic.corpus import prepare_corpus
from segtopic.errors import RunError
from segtopic.model import check_settings
from segtopic.training.checkpoints import ROOM
from segtopic.training.claim import claimed
from segtopic.training.files import write_atomically
from segtopic.training.fit import Results, fit_model, is_first_process
from segtopic.training.folder import (
    CORPUS,
    VOCABULARY,
    Run,
    load_run,
    save_config,
    save_model,
    save_results,
)
from segtopic.training.task import TrainingTask

__all__ = ["is_first_process", "train"]

Progress = Callable[[str, int], None]


def train(
    config: RunConfig,
    folder: Path | str,
    trainer_config: TrainerConfig | None = None,
    *,
    resume: bool = False,
    overwrite: bool = False,
    callbacks: list[Callback] | None = None,
    preparing: Progress = lambda stage, documents: None,
) -> Run:
    """Train a model.

    Args:
        config: what to train on what.
        folder: of the run; must not hold another one.
        trainer_config: what to train with.
        resume: go on where an interrupted training in this folder stopped.
        overwrite: replace the run in this folder.
        callbacks: Lightning's, for progress.
        preparing: called while the corpus is prepared.
    """
    check_settings(config)
    folder, trainer_config = Path(folder), trainer_config or TrainerConfig()
    with ExitStack() as opened:
        make_room: Callable[[], None] = lambda: None  # noqa: E731
        if is_first_process():
            make_room = opened.enter_context(claimed(folder, config, resume, overwrite))
        prepared = prepare_corpus(part_of(config, CorpusConfig), progress=preparing)
        task = TrainingTask.of(prepared.load(), config)
        if trainer_config.threads is not None:
            torch.set_num_threads(trainer_config.threads)
        started = time.monotonic()
        model = task.new_model()
        if is_first_process():
            make_room()
            save_config(folder, task.config, dataclasses.asdict(trainer_config))
            write_atomically(folder / CORPUS, (prepared.folder / "manifest.json").read_bytes())
            write_atomically(folder / VOCABULARY, (prepared.folder / VOCABULARY).read_bytes())

        def save(results: Results) -> None:
            save_model(folder, model)
            save_results(folder, {**results, "seconds": round(time.monotonic() - started, 1)})

        try:
            fit_model(
                model,
                task,
                folder,
                trainer_config,
                resume=resume,
                callbacks=callbacks or [],
                logger=TensorBoardLogger(folder, name="", version="tensorboard"),
                finish=save,
            )
        except OSError as error:  # of Lightning and TensorBoard; our own files tell more
            raise RunError(
                f"{error.filename or folder}: cannot be written ({error.strerror or error}); {ROOM}"
            ) from None
        return load_run(folder)
