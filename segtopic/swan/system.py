"""The system that Lightning trains: steps, schedule, stopping, figures.

The learning rate rises for a first share of the training and then falls to zero in a straight
line, so a training is planned for its number of epochs, or for the minutes that it may take: the
schedule follows whichever is nearer to its end.
"""

import time
from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor

from segtopic.errors import TrainingError
from segtopic.swan.development import Development
from segtopic.swan.sequence_model import PairBatch, SequenceModel
from segtopic.swan.settings import SwanTraining

SEEDS_APART = 1_000_003  # seeds of epochs; a prime, so that those of near seeds do not meet


class SwanSystem(pl.LightningModule):
    """Steps, schedule and figures; the mathematics is in the model."""

    def __init__(
        self, model: SequenceModel, settings: SwanTraining, n_steps: int, development: Development
    ) -> None:
        super().__init__()
        self.model = model
        self.settings = settings
        self.n_steps = n_steps
        self.development = development
        self._seconds_before, self._started = 0.0, time.monotonic()
        self._nats, self._symbols = 0.0, 0

    @property
    def seconds(self) -> float:
        """How long the training took so far, with what it took before it was interrupted."""
        return self._seconds_before + time.monotonic() - self._started

    def progress(self) -> float:
        """From 0 at the start to 1 at the end of the epochs or of the minutes."""
        minutes = self.settings.minutes
        by_time = self.seconds / (60 * minutes) if minutes else 0.0
        return min(max(self.global_step / self.n_steps, by_time), 1.0)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Remember the time."""
        checkpoint["seconds"] = self.seconds

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Go on counting the time."""
        self._seconds_before, self._started = checkpoint["seconds"], time.monotonic()

    def configure_optimizers(self) -> Any:
        """Weights decay, biases and other vectors do not."""
        settings = self.settings
        matrices = [p for p in self.model.parameters() if p.dim() > 1]
        vectors = [p for p in self.model.parameters() if p.dim() <= 1]
        optimiser = torch.optim.AdamW(
            [
                {"params": matrices, "weight_decay": settings.weight_decay},
                {"params": vectors, "weight_decay": 0.0},
            ],
            lr=settings.learning_rate,
            betas=(0.9, 0.98),
            foreach=True,
        )
        # Never quite nothing at the start: the first step would be lost.
        rising = max(settings.warm_up, 1 / self.n_steps)

        def rate(_: int) -> float:
            progress = self.progress()
            falling = (1 - progress) / max(1 - rising, 1 / self.n_steps)
            return min((progress + 1 / self.n_steps) / rising, falling, 1.0)

        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, rate)
        return {"optimizer": optimiser, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def training_step(self, batch: PairBatch, batch_index: int) -> Tensor:
        """The mean negative log likelihood of a pair."""
        log_likelihood = self.model.log_likelihood(batch)
        loss: Tensor = -log_likelihood.mean()
        if not bool(loss.isfinite()):
            raise TrainingError(
                f"the loss is no number in batch {batch_index + 1} of epoch "
                f"{self.current_epoch + 1}; lower learning_rate or gradient_clip"
            )
        symbols = int(batch.target_lengths.sum()) + len(log_likelihood)
        self.log(
            "train_nats",
            -log_likelihood.detach().sum() / symbols,
            on_step=False,
            on_epoch=True,
            batch_size=symbols,
        )
        return loss

    def on_train_epoch_start(self) -> None:
        """Dropout follows the seed and the epoch, so that a resumed training is the same."""
        torch.manual_seed(self.settings.seed + SEEDS_APART * (self.current_epoch + 1))

    def on_train_batch_end(self, outputs: Any, batch: PairBatch, batch_index: int) -> None:
        """Stop when the time is over."""
        if self.progress() >= 1:
            self.trainer.should_stop = True

    def on_validation_epoch_start(self) -> None:
        """Sums and counts are gathered, never means of means."""
        self._nats, self._symbols = 0.0, 0

    def validation_step(self, batch: PairBatch, batch_index: int) -> None:
        """The likelihood of development pairs that are possible."""
        log_likelihood = self.model.log_likelihood(batch)
        possible = log_likelihood.isfinite()
        self._nats -= float(log_likelihood[possible].double().sum())
        self._symbols += int((batch.target_lengths + 1)[possible].sum())

    def on_validation_epoch_end(self) -> None:
        """Decode the development words."""
        errors = self.development.errors(self.model)
        self.log_dict(
            {
                "dev_nats": self._nats / max(self._symbols, 1),
                "dev_words_wrong": errors.word_error,
                "dev_symbols_wrong": errors.symbol_error,
            }
        )
