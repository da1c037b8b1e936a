"""Training: pairs and settings in, the model of the best epoch out; where Lightning is set up.

The learning rate rises for a first share of the training and then falls to zero in a straight
line, so a training is planned for its number of epochs, or for the minutes that it may take: the
schedule follows whichever is nearer to its end. After each epoch the development words are
decoded greedily; the epoch with the fewest wrong ones is kept.
"""

import logging
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback, ModelCheckpoint
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset

from segtopic.config.checks import check_range
from segtopic.errors import TrainingError
from segtopic.swan.batches import NumberedPairs, padded
from segtopic.swan.error_rates import ErrorCounts, count_errors
from segtopic.swan.pairs import Entry
from segtopic.swan.sequence_model import PairBatch, SequenceModel
from segtopic.swan.symbols import SymbolTable

DECODED_AT_ONCE = 256


@dataclass(frozen=True)
class SwanTraining:
    """How a sequence-to-sequence model is trained.

    Attributes:
        epochs: How often every pair is seen, at most.
        minutes: How long it may take, at most; none for no limit.
        batch_size: Pairs of a step.
        learning_rate: The highest one.
        warm_up: Share of the training during which the learning rate rises.
        weight_decay: Of the matrices.
        gradient_clip: Longest gradient.
        precision: Lightning's, for example ``bf16-mixed``.
        seed: Of weights, dropout and the order of the pairs.
    """

    epochs: int = 20
    minutes: float | None = None
    batch_size: int = 128
    learning_rate: float = 2e-3
    warm_up: float = 0.1
    weight_decay: float = 1e-3
    gradient_clip: float = 1.0
    precision: str = "32-true"
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size"):
            check_range(self, name, at_least=1)
        for name in ("minutes", "learning_rate", "weight_decay", "gradient_clip"):
            check_range(self, name, at_least=0)
        check_range(self, "warm_up", at_least=0, at_most=1)


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
) -> dict[str, Any]:
    """Train, or go on where an interrupted training in this folder stopped.

    Args:
        model: to train, in place; it has the weights of the best epoch afterwards.
        training: pairs to learn; each must be possible for the model.
        development_pairs: for the likelihood.
        development: the same inputs with their references, for the errors.
        settings: how.
        folder: for the checkpoints.
        callbacks: Lightning's, for progress.

    Returns:
        The figures of the best epoch.
    """
    n_steps = settings.epochs * training.n_batches(settings.batch_size)
    system = SwanSystem(model, settings, n_steps, development)
    checkpoints = ModelCheckpoint(
        folder,
        filename="best",
        monitor="dev_words_wrong",
        mode="min",
        save_last=True,
        enable_version_counter=False,
    )
    last = folder / "last.ckpt"
    logger = logging.getLogger("pytorch_lightning")
    logger.setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="pytorch_lightning|lightning_fabric|torch")
        torch.manual_seed(settings.seed)
        trainer = pl.Trainer(
            accelerator="cpu",
            devices=1,
            precision=settings.precision,  # type: ignore[arg-type]
            max_epochs=settings.epochs,
            gradient_clip_val=settings.gradient_clip or None,
            callbacks=[checkpoints, *callbacks],
            logger=False,
            default_root_dir=folder,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            reload_dataloaders_every_n_epochs=1,
            use_distributed_sampler=False,
        )
        trainer.fit(
            system,
            datamodule=PairsOfEpoch(training, development_pairs, settings),
            ckpt_path=last if last.exists() else None,
            weights_only=True,
        )
    best = torch.load(checkpoints.best_model_path, weights_only=True)
    model.load_state_dict(
        {name.removeprefix("model."): value for name, value in best["state_dict"].items()}
    )
    return {
        "best_epoch": int(best["epoch"]) + 1,
        "epochs": system.current_epoch,
        "minutes": round(system.seconds / 60, 1),
    }
