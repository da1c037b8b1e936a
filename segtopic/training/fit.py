"""A system and its data in, the model of the best epoch out: Lightning's trainer is set up here."""

import logging
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback, EarlyStopping, Timer
from pytorch_lightning.loggers import Logger
from pytorch_lightning.plugins.precision import DoublePrecision
from pytorch_lightning.utilities import rank_zero_only
from torch import nn

from segtopic.config import TrainerConfig
from segtopic.errors import TrainingError
from segtopic.runs.folder import METRICS
from segtopic.training.checkpoints import (
    Checkpoints,
    MetricsFile,
    WholeCheckpoints,
    checkpoint_to_resume,
    read_checkpoint,
)
from segtopic.training.interruption import Interruption

# Some settings leave parameters without a gradient: the gates where L is 1, for example.
STRATEGIES = {"ddp": "ddp_find_unused_parameters_true"}
# What is true of every training here, or lies between Lightning and torch.
NO_NEWS = (
    ".*does not have many workers.*",  # batches are cut in the main process: that takes 1 ms
    ".*IterableDataset.*",
    ".*LeafSpec.*",
    ".*exists and is not empty.*",  # when resuming
)

Results = dict[str, Any]


def fit_system(
    system: pl.LightningModule,
    data: pl.LightningDataModule,
    folder: Path,
    trainer_config: TrainerConfig,
    *,
    origin: Mapping[str, Any],
    epochs: int,
    patience: int | None,
    min_gain: float = 0.0,
    best_by: str = "watched",
    resume: bool = False,
    callbacks: Sequence[Callback] = (),
    logger: Logger | None = None,
    finish: Callable[[Results], None] = lambda results: None,
) -> Results:
    """Train what a system calls its ``model``, and give it the weights of its best epoch.

    Args:
        system: logs ``watched`` after each epoch; while it rises, the training goes on.
        data: its batches.
        folder: for ``metrics.csv`` and Lightning's checkpoints.
        trainer_config: what to train with.
        origin: what is trained on what, by name; only the same training can go on.
        epochs: at most.
        patience: epochs without a better one after which it stops; never if not given.
        min_gain: what an epoch must add to the last that was so much better to restore patience.
        best_by: the logged figure that is highest in the best epoch, the one that is kept.
        resume: go on from the last checkpoint in the folder, if there is one.
        callbacks: Lightning's, for progress.
        logger: Lightning's, for curves.
        finish: called with the results in the first process, while all others wait.

    Returns:
        The figures of the best epoch; nothing in other processes than the first.
    """
    started = time.monotonic()
    checkpoint = checkpoint_to_resume(folder, origin) if resume else None
    checkpoints = Checkpoints(folder, origin, best_by)
    metrics, interruption = MetricsFile(folder / METRICS), Interruption()
    stopping = [] if patience is None else [OutOfPatience(patience, min_gain)]
    doubled = [WholeNumbersDoubled()] if trainer_config.precision == "64-true" else []
    with _quiet_lightning():
        trainer = pl.Trainer(
            accelerator=trainer_config.accelerator,
            devices=trainer_config.devices,
            num_nodes=trainer_config.num_nodes,
            strategy=STRATEGIES.get(trainer_config.strategy, trainer_config.strategy),
            precision=None if doubled else trainer_config.precision,
            gradient_clip_val=trainer_config.gradient_clip or None,
            max_epochs=epochs,
            callbacks=[
                checkpoints,
                *stopping,
                Timer(_duration(trainer_config.max_time)),
                interruption,
                metrics,
                *callbacks,
            ],
            plugins=[WholeCheckpoints(), *doubled],
            logger=logger or False,
            default_root_dir=folder,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            log_every_n_steps=1,
            use_distributed_sampler=False,
            reload_dataloaders_every_n_epochs=1,
        )
        with interruption.awaited(trainer):
            trainer.fit(system, datamodule=data, ckpt_path=checkpoint, weights_only=True)
    if checkpoints.best_epoch is None:
        raise TrainingError("training ended before the first epoch was evaluated; allow more time")
    results: Results = {}
    if is_first_process():
        state = read_checkpoint(checkpoints.best)
        metrics.write()
        model = system.model
        assert isinstance(model, nn.Module)
        model.load_state_dict(
            {name.removeprefix("model."): value for name, value in state["state_dict"].items()}
        )
        figures = metrics.lines[int(state["epoch"])]
        results = {
            "best_epoch": int(state["epoch"]) + 1,
            "epochs": len(metrics.lines),
            "seconds": round(time.monotonic() - started, 1),
            **{name: value for name, value in figures.items() if name not in ("epoch", "watched")},
        }
        finish(results)
    trainer.strategy.barrier()
    return results


def is_first_process() -> bool:
    """Whether this is the first of the processes that train together.

    Before Lightning has set up its trainer, it does not know on which machine it is.
    """
    here = os.environ.get("NODE_RANK") or os.environ.get("GROUP_RANK") or "0"
    return bool(getattr(rank_zero_only, "rank", 0) == 0) and here == "0"


class WholeNumbersDoubled(DoublePrecision):
    """Double precision for batches of whole numbers, which stay as they are.

    Lightning would convert them, and refuses frozen dataclasses whatever they hold.
    """

    def convert_input(self, data: Any) -> Any:
        """The batch itself."""
        return data


class OutOfPatience(EarlyStopping):
    """Early stopping that also stops a training resumed after its last epoch.

    It only says when to stop. Which epoch is kept the checkpoints decide, by the smallest gain too.
    """

    def __init__(self, patience: int, min_gain: float) -> None:
        super().__init__("watched", min_delta=min_gain, patience=patience, mode="max")

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Lightning itself forgets that it has stopped."""
        trainer.should_stop = trainer.should_stop or self.wait_count >= self.patience


@contextmanager
def _quiet_lightning() -> Iterator[None]:
    """Without its remarks on devices and its tips; other warnings still come through."""
    logger = logging.getLogger("pytorch_lightning")
    level = logger.level
    logger.setLevel(logging.ERROR)
    excepthook = threading.excepthook
    threading.excepthook = _but_full_disks(excepthook)
    try:
        with warnings.catch_warnings():
            for message in NO_NEWS:
                warnings.filterwarnings("ignore", message=message)
            yield
    finally:
        logger.setLevel(level)
        threading.excepthook = excepthook


def _but_full_disks(
    excepthook: Callable[[threading.ExceptHookArgs], Any],
) -> Callable[[threading.ExceptHookArgs], Any]:
    """TensorBoard's thread prints such an error, and raises it again where Lightning writes."""

    def hook(raised: threading.ExceptHookArgs) -> None:
        if not isinstance(raised.exc_value, OSError):
            excepthook(raised)

    return hook


def _duration(text: str | None) -> timedelta | None:
    if text is None:
        return None
    days, hours, minutes, seconds = map(int, text.split(":"))
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
