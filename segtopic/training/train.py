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
from segtopic.corpus.prepare import Progress, prepare_corpus, with_prepared_settings
from segtopic.corpus.sources import anchored
from segtopic.errors import RunError
from segtopic.model import check_settings
from segtopic.runs import RunCorpus, TrainedModel, load_run
from segtopic.runs.claim import claimed
from segtopic.runs.folder import DOCUMENTS, WEIGHTS, save_config
from segtopic.runs.seal import save_results
from segtopic.runs.weights import save_weights
from segtopic.training.checkpoints import ROOM
from segtopic.training.fit import Results, fit_model, is_first_process
from segtopic.training.task import TrainingTask

__all__ = ["is_first_process", "train"]


def train(
    config: RunConfig,
    folder: Path | str,
    trainer_config: TrainerConfig | None = None,
    *,
    corpus: RunCorpus | None = None,
    resume: bool = False,
    overwrite: bool = False,
    callbacks: list[Callback] | None = None,
    preparing: Progress = lambda stage, documents: None,
) -> TrainedModel:
    """Train a model.

    Args:
        config: what to train on what.
        folder: of the run; must not hold another one.
        trainer_config: what to train with.
        corpus: of another run, to train on the same documents; ``config.data`` is not read then.
        resume: go on where an interrupted training in this folder stopped.
        overwrite: replace the run in this folder.
        callbacks: Lightning's, for progress.
        preparing: called while the corpus is prepared.
    """
    check_settings(config)
    folder, trainer_config = Path(folder), trainer_config or TrainerConfig()
    if corpus is None:
        config = with_prepared_settings(anchored(config))
    with ExitStack() as opened:
        make_room: Callable[[], None] = lambda: None  # noqa: E731
        if is_first_process():
            make_room = opened.enter_context(claimed(folder, config, resume, overwrite))
        if corpus is None:
            corpus = _corpus(config, folder, resume, preparing)
        task = TrainingTask.of(corpus, config)
        if trainer_config.threads is not None:
            torch.set_num_threads(trainer_config.threads)
        started = time.monotonic()
        model = task.new_model()
        if is_first_process():
            make_room()
            save_config(folder, task.config, dataclasses.asdict(trainer_config))
            corpus.save(folder)

        def save(results: Results) -> None:
            save_weights(folder / WEIGHTS, model)
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


def _corpus(config: RunConfig, folder: Path, resume: bool, preparing: Progress) -> RunCorpus:
    """What to train on: the documents that a run began with, or those of the source."""
    read_once = config.data == "-"
    if (folder / DOCUMENTS).exists() and (resume or (read_once and not is_first_process())):
        return RunCorpus.load(folder, before_reading=lambda: None)
    prepared = prepare_corpus(part_of(config, CorpusConfig), progress=preparing)
    return RunCorpus.of(prepared.load(), config, keep_texts=read_once)
