"""The system that Lightning trains: steps, schedule, stopping, figures.

The learning rate rises for a first share of the training and then falls to zero in a straight
line, so a training is planned for its number of epochs, or for the minutes that it may take: the
schedule follows whichever is nearer to its end.
"""

import time
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from torch import Tensor

from segtopic.config import SwanTraining
from segtopic.errors import TrainingError
from segtopic.swan.development import Development
from segtopic.swan.sequence_model import PairBatch, SequenceModel

MOST_ERRORS = 2.0**20
MOST_NATS = 10.0  # of a symbol; a model that knows nothing has fewer among 20,000 symbols


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
        self._last_progress = 0.0  # before the latest step
        self._learned, self._held_out = _Nats(), _Nats()

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
            progress = self.model.phase(self.progress())
            falling = (1 - progress) / max(1 - rising, 1 / self.n_steps)
            return min((progress + 1 / self.n_steps) / rising, falling, 1.0)

        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, rate)
        return {"optimizer": optimiser, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def training_step(self, batch: PairBatch, batch_index: int) -> Tensor:
        """The mean loss of a pair."""
        self._last_progress = self.progress()
        losses, log_likelihood = self.model.losses(batch, self._last_progress)
        loss: Tensor = losses.mean()
        if not bool(loss.isfinite()):
            raise TrainingError(
                f"the loss is no number in batch {batch_index + 1} of epoch "
                f"{self.current_epoch + 1}; lower learning_rate or gradient_clip"
            )
        self._learned.add(log_likelihood, batch)
        return loss

    def on_train_epoch_start(self) -> None:
        """Begin to count."""
        self._learned = _Nats()

    def on_train_batch_start(self, batch: PairBatch, batch_index: int) -> None:
        """Dropout follows seed, epoch and batch, so that a resumed training is the same.

        Not once for an epoch: what Lightning draws before its first batch depends on whether the
        training was resumed.
        """
        place = (self.settings.seed, self.current_epoch, batch_index)
        torch.manual_seed(int(np.random.SeedSequence(place).generate_state(1)[0]))

    def on_train_batch_end(self, outputs: Any, batch: PairBatch, batch_index: int) -> None:
        """Stop when the time is over."""
        if self.progress() >= 1:
            self.trainer.should_stop = True

    def on_validation_epoch_start(self) -> None:
        """Begin to count."""
        self._held_out = _Nats()

    def validation_step(self, batch: PairBatch, batch_index: int) -> None:
        """The likelihood of development pairs that are possible."""
        learned = self.model.learned_at(self._last_progress)
        self._held_out.add(learned.log_likelihood(batch), batch)

    def on_validation_epoch_end(self) -> None:
        """Decode the development words."""
        learned = self.model.learned_at(self._last_progress)
        errors = self.development.errors(learned)
        nats = self._held_out.per_symbol
        counted = errors.edits if self.development.by_symbols else errors.wrong
        self.log_dict(
            {
                "train_nats": self._learned.per_symbol,
                "dev_nats": nats,
                "dev_words_wrong": errors.word_error,
                "dev_symbols_wrong": errors.symbol_error,
                # Less than one error for the likelihood: it decides between equal errors. In
                # errors, because Lightning keeps single precision. A part is never the best.
                "watched": -float(counted.sum())
                - min(nats / MOST_NATS, 0.9)
                - (learned is not self.model) * MOST_ERRORS,
            }
        )


class _Nats:
    """Negative log likelihood per output symbol and end: sums and counts, never means of means."""

    def __init__(self) -> None:
        self.nats, self.symbols = 0.0, 0

    def add(self, log_likelihood: Tensor, batch: PairBatch) -> None:
        possible = log_likelihood.isfinite()
        self.nats -= float(log_likelihood[possible].double().sum())
        self.symbols += int((batch.target_lengths + 1)[possible].sum())

    @property
    def per_symbol(self) -> float:
        return self.nats / max(self.symbols, 1)
