"""Training: pairs and settings in, the model of the best epoch out.

After each epoch the development words are decoded greedily; the epoch with the fewest wrong ones
is kept, and among those with as few the one with the best likelihood. The trainer and its
checkpoints are those of :mod:`segtopic.training`.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback
from torch.utils.data import DataLoader, IterableDataset

from segtopic.config import SwanTraining, TrainerConfig
from segtopic.swan.batches import NumberedPairs
from segtopic.swan.development import Development
from segtopic.swan.sequence_model import PairBatch, SequenceModel
from segtopic.swan.system import SwanSystem
from segtopic.training.fit import fit_system


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
