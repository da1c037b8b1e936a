"""When a training stops and which epoch it keeps, on likelihoods that are written down."""

import pytest
import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader

from segtopic.config import TrainerConfig
from segtopic.training.fit import fit_system


class Scripted(pl.LightningModule):
    """Learns nothing; its parameter counts the epochs, its likelihoods are given."""

    def __init__(self, likelihoods, warmup=0):
        super().__init__()
        self.model = torch.nn.Linear(1, 1, bias=False)
        self.likelihoods = likelihoods
        self.warmup = warmup

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def training_step(self, batch, batch_index):
        return 0 * self.model(batch).sum()

    def validation_step(self, batch, batch_index):
        with torch.no_grad():
            self.model.weight.fill_(self.current_epoch + 1)
        likelihood = self.likelihoods[self.current_epoch]
        self.log("likelihood", likelihood)
        self.log("watched", likelihood - 1000.0 * max(self.warmup - self.current_epoch, 0))


class OneNumber(pl.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(torch.ones(1, 1))

    val_dataloader = train_dataloader


def fitted(likelihoods, folder, warmup=0, **settings):
    system = Scripted(likelihoods, warmup)
    results = fit_system(
        system,
        OneNumber(),
        folder,
        TrainerConfig(accelerator="cpu"),
        origin={},
        epochs=len(likelihoods),
        **settings,
    )
    assert system.model.weight.item() == results["best_epoch"]  # it is the one that is kept
    return results["epochs"], results["best_epoch"]


CREEPING = [-7.0 + 0.0003 * epoch for epoch in range(20)]  # 14 epochs bring 0.004


@pytest.mark.parametrize(
    ("likelihoods", "min_gain", "expected"),
    [
        (CREEPING, 0.0, (20, 20)),
        (CREEPING, 0.001, (20, 20)),  # five epochs bring more than that
        (CREEPING, 0.002, (6, 6)),  # the last one is the best, though it gained too little
        ([-7.0, -6.9, -6.899, -6.901, -6.902, -6.903, -6.904, -6.8], 0.002, (7, 3)),
        ([-7.0, -6.9, -6.899, -6.901, -6.902, -6.903, -6.89, -6.8], 0.002, (8, 8)),
    ],
)
def test_small_gains_do_not_restore_patience_but_are_kept(
    tmp_path, likelihoods, min_gain, expected
):
    assert fitted(likelihoods, tmp_path, patience=5, min_gain=min_gain) == expected


def test_without_patience_all_epochs_are_trained(tmp_path):
    assert fitted([-1.0, -2.0, -3.0], tmp_path, patience=None, min_gain=0.5) == (3, 1)


@pytest.mark.parametrize(
    ("likelihoods", "expected"),
    [
        ([-7.0, -6.8, -6.9, -6.95, -6.96, -6.97], (5, 2)),  # the best is one of the warm-up
        ([-7.0, -6.8, -6.9, -6.7, -6.96, -6.97], (6, 4)),
    ],
)
def test_the_likelihood_says_which_epoch_is_kept_and_patience_waits(
    tmp_path, likelihoods, expected
):
    settings = {"warmup": 2, "patience": 2, "best_by": "likelihood"}
    assert fitted(likelihoods, tmp_path, **settings) == expected
