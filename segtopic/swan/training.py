"""Training: pairs and settings in, the model of the best epoch out; where Lightning is set up.

After each epoch the development words are decoded greedily; the epoch with the fewest wrong ones
is kept. ``last.ckpt`` is written after every epoch, ``best.ckpt`` before it when there is a new
best one.
"""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback, ModelCheckpoint
from torch.utils.data import DataLoader, IterableDataset

from segtopic.swan.batches import NumberedPairs
from segtopic.swan.development import Development
from segtopic.swan.sequence_model import PairBatch, SequenceModel
from segtopic.swan.settings import SwanTraining
from segtopic.swan.system import SwanSystem


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
    # Lightning's own ``save_last`` writes only when there is a new best.
    each = ModelCheckpoint(folder, filename="last", enable_version_counter=False)
    best_so_far = ModelCheckpoint(
        folder,
        filename="best",
        monitor="dev_words_wrong",
        mode="min",
        enable_version_counter=False,
    )
    last = folder / "last.ckpt"
    with _quiet_lightning():
        trainer = pl.Trainer(
            accelerator="cpu",
            devices=1,
            precision=settings.precision,  # type: ignore[arg-type]
            max_epochs=settings.epochs,
            gradient_clip_val=settings.gradient_clip or None,
            callbacks=[best_so_far, each, *callbacks],
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
    best = torch.load(best_so_far.best_model_path, weights_only=True)
    model.load_state_dict(
        {name.removeprefix("model."): value for name, value in best["state_dict"].items()}
    )
    return {
        "best_epoch": int(best["epoch"]) + 1,
        "epochs": system.current_epoch,
        "minutes": round(system.seconds / 60, 1),
    }


@contextmanager
def _quiet_lightning() -> Iterator[None]:
    """Without its remarks on devices, workers and folders; other warnings still come through."""
    logger = logging.getLogger("pytorch_lightning")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="pytorch_lightning|lightning_fabric")
            warnings.filterwarnings("ignore", message=".*LeafSpec.*")
            yield
    finally:
        logger.setLevel(level)
