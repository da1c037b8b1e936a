"""Training: pairs and settings in, the model of the best epoch out; where Lightning is set up.

The learning rate rises for a first share of the training and then falls to zero in a straight
line, so a training is planned for its number of epochs, or for the minutes that it may take: the
schedule follows whichever is nearer to its end. After each epoch the development words are
decoded greedily; the epoch with the fewest wrong ones is kept.
"""

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset

from segtopic.config import SwanTraining, TrainerConfig
from segtopic.errors import TrainingError
from segtopic.swan.batches import NumberedPairs, padded
from segtopic.swan.error_rates import ErrorCounts, count_errors
from segtopic.swan.pairs import Entry
from segtopic.swan.sequence_model import PairBatch, SequenceModel
from segtopic.swan.symbols import SymbolTable
from segtopic.training.fit import fit_system

__all__ = ["Development", "SwanSystem", "SwanTraining", "fit"]

DECODED_AT_ONCE = 256
TIE = 1e-7  # of a nat: between epochs with as many wrong words the likelihood decides


class Development:
    """Inputs with all their right outputs, as numbers."""

    def __init__(
        self, inputs: Sequence[Tensor], references: Sequence[Sequence[Sequence[int]]]
    ) -> None:
        self.inputs = list(inputs)
        self.references = references

    @classmethod
    def of(
        cls, entries: Sequence[Entry], inputs: SymbolTable, outputs: SymbolTable
    ) -> "Development":
        """From symbols."""
        return cls(
            [torch.tensor(inputs.numbers(entry.inputs)) for entry in entries],
            [[tuple(outputs.numbers(each)) for each in entry.references] for entry in entries],
        )

    def errors(self, model: SequenceModel, **wishes: Any) -> ErrorCounts:
        """Of the best outputs; ``wishes`` go to the model's ``decode``."""
        order = sorted(range(len(self.inputs)), key=lambda number: len(self.inputs[number]))
        outputs: list[Sequence[int]] = [()] * len(order)
        for begin in range(0, len(order), DECODED_AT_ONCE):
            some = order[begin : begin + DECODED_AT_ONCE]
            decoded = model.decode(*padded([self.inputs[number] for number in some]), **wishes)
            for number, hypotheses in zip(some, decoded, strict=True):
                outputs[number] = hypotheses[0].outputs
        return count_errors(outputs, self.references)


class SwanSystem(pl.LightningModule):
    """Steps, schedule and figures; the mathematics is in the model."""

    def __init__(
        self, model: SequenceModel, training: SwanTraining, n_steps: int, development: Development
    ) -> None:
        super().__init__()
        self.model = model
        self.training_settings = training
        self.n_steps = n_steps
        self.development = development
        self._seconds_before, self._started = 0.0, time.monotonic()

    @property
    def seconds(self) -> float:
        """How long the training took so far, with what it took before it was interrupted."""
        return self._seconds_before + time.monotonic() - self._started

    def progress(self) -> float:
        """From 0 at the start to 1 at the end of the epochs or of the minutes."""
        minutes = self.training_settings.minutes
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
        settings = self.training_settings
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

    def on_train_batch_start(self, batch: PairBatch, batch_index: int) -> None:
        """Random numbers depend on seed, epoch and batch only: a resumed training repeats them."""
        place = (self.training_settings.seed, self.current_epoch, batch_index)
        torch.manual_seed(int(np.random.SeedSequence(place).generate_state(1)[0]))

    def training_step(self, batch: PairBatch, batch_index: int) -> Tensor:
        """The mean negative log likelihood of a pair."""
        log_likelihood = self.model.log_likelihood(batch)
        loss: Tensor = -log_likelihood.mean()
        if not bool(loss.isfinite()):
            raise TrainingError(
                f"the loss is no number in batch {batch_index + 1} of epoch "
                f"{self.current_epoch + 1}; lower learning_rate or gradient_clip"
            )
        self._learned.add(log_likelihood.detach(), batch)
        return loss

    def on_train_batch_end(self, outputs: Any, batch: PairBatch, batch_index: int) -> None:
        """Stop when the time is over."""
        if self.progress() >= 1:
            self.trainer.should_stop = True

    def on_train_epoch_start(self) -> None:
        """Sums and counts are gathered, never means of means."""
        self._learned = _Nats()

    def on_validation_epoch_start(self) -> None:
        """The same for the development pairs."""
        self._held_out = _Nats()

    def validation_step(self, batch: PairBatch, batch_index: int) -> None:
        """The likelihood of development pairs that are possible."""
        self._held_out.add(self.model.log_likelihood(batch), batch)

    def on_validation_epoch_end(self) -> None:
        """Decode the development words."""
        errors = self.development.errors(self.model)
        nats = self._held_out.per_symbol
        self.log_dict(
            {
                "train_nats": self._learned.per_symbol,
                "dev_nats": nats,
                "dev_words_wrong": errors.word_error,
                "dev_symbols_wrong": errors.symbol_error,
                "watched": -errors.word_error - TIE * nats,
            }
        )


class _Nats:
    """Negative log likelihood per output symbol and end, of pairs that are possible."""

    def __init__(self) -> None:
        self.nats, self.symbols = 0.0, 0

    def add(self, log_likelihood: Tensor, batch: PairBatch) -> None:
        possible = log_likelihood.isfinite()
        self.nats -= float(log_likelihood[possible].double().sum())
        self.symbols += int((batch.target_lengths + 1)[possible].sum())

    @property
    def per_symbol(self) -> float:
        return self.nats / max(self.symbols, 1)


class EpochBatches(IterableDataset[PairBatch]):
    """The batches of an epoch, or of all pairs in order."""

    def __init__(self, pairs: NumberedPairs, training: SwanTraining, shuffled: bool) -> None:
        self.pairs, self.training, self.shuffled, self.epoch = pairs, training, shuffled, 0

    def __len__(self) -> int:
        return self.pairs.n_batches(self.training.batch_size)

    def __iter__(self) -> Iterator[PairBatch]:
        size = self.training.batch_size
        if not self.shuffled:
            return self.pairs.in_order(size)
        return self.pairs.epoch(size, self.training.seed, self.epoch)


class PairsOfEpoch(pl.LightningDataModule):
    """The training and development pairs."""

    def __init__(
        self, training: NumberedPairs, development: NumberedPairs, settings: SwanTraining
    ) -> None:
        super().__init__()
        self.training = EpochBatches(training, settings, shuffled=True)
        self.development = EpochBatches(development, settings, shuffled=False)

    def train_dataloader(self) -> DataLoader[PairBatch]:
        """One epoch; Lightning asks anew for each."""
        if self.trainer is not None:
            self.training.epoch = self.trainer.current_epoch
        return DataLoader(self.training, batch_size=None)

    def val_dataloader(self) -> DataLoader[PairBatch]:
        """The development pairs."""
        return DataLoader(self.development, batch_size=None)


def fit(
    model: SequenceModel,
    training: NumberedPairs,
    development_pairs: NumberedPairs,
    development: Development,
    settings: SwanTraining,
    folder: Path,
    callbacks: Sequence[Callback] = (),
    resume: bool = True,
    origin: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Train, or go on where an interrupted training in this folder stopped.

    Args:
        model: to train, in place; it has the weights of the best epoch afterwards.
        training: pairs to learn; each must be possible for the model.
        development_pairs: for the likelihood.
        development: the same inputs with their references, for the errors.
        settings: how.
        folder: for the checkpoints and ``metrics.csv``.
        callbacks: Lightning's, for progress.
        resume: go on from the last checkpoint in the folder, if there is one.
        origin: what is trained on what, by name; only the same training can go on.

    Returns:
        The figures of the best epoch.
    """
    n_steps = settings.epochs * training.n_batches(settings.batch_size)
    system = SwanSystem(model, settings, n_steps, development)
    hardware = TrainerConfig(
        accelerator="cpu",
        precision=settings.precision,
        gradient_clip=settings.gradient_clip,
        threads=settings.threads,
    )
    if settings.threads is not None:
        torch.set_num_threads(settings.threads)
    folder.mkdir(parents=True, exist_ok=True)
    # What a batch needs in Lightning's hands, or what mixed precision says of CPUs.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="torch")
        results = fit_system(
            system,
            PairsOfEpoch(training, development_pairs, settings),
            folder,
            hardware,
            origin=origin or {},
            epochs=settings.epochs,
            patience=settings.patience,
            resume=resume,
            callbacks=callbacks,
        )
    return {**results, "minutes": round(system.seconds / 60, 1)}
