"""A task and a claimed folder in, a finished run out: train, stop early, save the best epoch."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.loggers import Logger, TensorBoardLogger

from segtopic.config import TrainerConfig
from segtopic.errors import RunError
from segtopic.model.topic_model import TopicModel
from segtopic.runs import RunCorpus
from segtopic.runs.claim import ClaimedRun
from segtopic.runs.naming import Naming
from segtopic.training.checkpoints import ROOM
from segtopic.training.data import TopicData
from segtopic.training.fit import Results, fit_system, is_first_process
from segtopic.training.system import TopicSystem
from segtopic.training.task import TrainingTask


def train_run(
    run: ClaimedRun,
    corpus: RunCorpus,
    task: TrainingTask,
    trainer_config: TrainerConfig,
    callbacks: Sequence[Callback] = (),
    stage: Callable[[str], None] = lambda text: None,
) -> None:
    """Train a model in the folder of a run.

    Args:
        run: its folder, which only the first process writes to.
        corpus: what is kept of the documents.
        task: what to learn of them, and how.
        trainer_config: what to train with.
        callbacks: Lightning's, for progress.
        stage: told what is begun, where that may take seconds.
    """
    if trainer_config.threads is not None:
        torch.set_num_threads(trainer_config.threads)
    started = time.monotonic()
    stage("building the model")
    model = task.new_model()
    if is_first_process():
        run.begin(task.config, trainer_config, corpus)

    def finish(results: Results) -> None:
        if rows := task.config.seed_rows:
            Naming.of_seeds(rows).save(run.folder)
        run.finish(model, {**results, "seconds": round(time.monotonic() - started, 1)})

    try:
        fit_model(
            model,
            task,
            run.folder,
            trainer_config,
            resume=run.resume,
            callbacks=callbacks,
            logger=TensorBoardLogger(run.folder, name="", version="tensorboard"),
            finish=finish,
        )
    except OSError as error:  # of Lightning and TensorBoard; our own files tell more
        raise RunError(
            f"{error.filename or run.folder}: cannot be written ({error.strerror or error}); {ROOM}"
        ) from None


def fit_model(
    model: TopicModel,
    task: TrainingTask,
    folder: Path,
    trainer_config: TrainerConfig,
    *,
    resume: bool = False,
    callbacks: Sequence[Callback] = (),
    logger: Logger | None = None,
    finish: Callable[[Results], None] = lambda results: None,
) -> Results:
    """Train a topic model until it gets no better, and give it the weights of its best epoch.

    Args:
        model: to train, in place.
        task: what it learns.
        folder: for ``metrics.csv`` and Lightning's checkpoints.
        trainer_config: what to train with.
        resume: go on from the last checkpoint in the folder, if there is one.
        callbacks: Lightning's, for progress.
        logger: Lightning's, for curves.
        finish: called with the results in the first process, while all others wait.

    Returns:
        The figures of the best epoch; nothing in other processes than the first.
    """
    config = task.config
    assert config.epochs is not None  # settled, as stop_on is
    return fit_system(
        TopicSystem(model, config),
        TopicData(task),
        folder,
        trainer_config,
        origin=task.origin(),
        epochs=config.epochs,
        patience=config.patience,
        min_gain=config.min_gain,
        best_by=f"dev_{config.stop_on}",
        resume=resume,
        callbacks=callbacks,
        logger=logger,
        finish=finish,
    )
