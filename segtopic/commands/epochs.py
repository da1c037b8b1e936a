"""How a training goes on, for people: a line for every epoch, and a bar within it on a terminal."""

import sys
import time
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from segtopic.commands.display import tell
from segtopic.commands.terminal import is_lively
from segtopic.evaluate.baselines.bigram import bigram_continuation
from segtopic.training.system import TopicSystem


class EpochLines(Callback):
    """A line for every epoch on the error stream, and on a terminal a bar within the epoch."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._started = time.monotonic()

    @abstractmethod
    def line(self, figures: Mapping[str, float], pl_module: pl.LightningModule) -> str:
        """What an epoch showed, in words."""

    def on_train_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Start the bar."""
        if trainer.is_global_zero and is_lively(sys.stderr):
            self._bar = Progress(
                TextColumn("epoch {task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.add_task(str(trainer.current_epoch + 1), total=trainer.num_training_batches)
            self._bar.start()

    def on_train_batch_end(self, *arguments: Any) -> None:
        """Move the bar."""
        if self._bar is not None:
            self._bar.advance(self._bar.task_ids[0])

    def on_validation_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Say that the epoch is judged now."""
        if self._bar is not None:
            place = f"{trainer.current_epoch + 1}, judged"
            self._bar.update(self._bar.task_ids[0], description=place)

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Put the line in place of the bar."""
        self._stop_bar()
        if not trainer.is_global_zero:
            return
        figures = {name: float(value) for name, value in trainer.callback_metrics.items()}
        print(
            f"epoch {trainer.current_epoch + 1:3d}  {self.line(figures, pl_module)}  "
            f"{time.monotonic() - self._started:.0f} s",
            file=sys.stderr,
            flush=True,
        )

    def on_exception(self, *arguments: Any) -> None:
        """Leave the terminal as it was."""
        self._stop_bar()

    def _stop_bar(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


class TopicEpochLines(EpochLines):
    """Of a topic model."""

    _bigram: float | None = None

    def on_fit_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """What a bigram makes of the development words, to compare with."""
        task = trainer.datamodule.task  # type: ignore[attr-defined]
        if trainer.is_global_zero and task.config.max_segment_length > 1:
            self._bigram = bigram_continuation(
                task.training, task.development, task.vocabulary_size
            )
        if trainer.is_global_zero:
            tell(f"training for at most {task.config.epochs} epochs")

    def line(self, figures: Mapping[str, float], pl_module: pl.LightningModule) -> str:
        """Likelihoods, topics and segments of the development documents."""
        assert isinstance(pl_module, TopicSystem)
        refined = ""
        if "dev_refined" in figures:
            refined = f" (refined {figures['dev_refined']:.3f})"
        parts = [
            f"dev {figures['dev_mean']:.3f}{refined}",
            f"divergence {figures['kl']:.1f}",
            f"topics {figures['active_topics']:.0f}/{pl_module.model.n_topics}",
            f"segments {figures['segment_length']:.2f} words",
        ]
        if self._bigram is not None:
            ours, bigram = figures["dev_continuation"], self._bigram
            parts.append(f"continuation {ours:.2f} (a bigram {bigram:.2f})")
        return "  ".join(parts)
