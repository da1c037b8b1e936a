"""A small trained run for tests that look at what a model has found."""

import warnings

from segtopic.commands.train import train
from segtopic.config import TrainerConfig
from segtopic.training.system import Collapse
from tests.training.planted import planted_file, small


def planted_run(folder, **settings):
    """A run on the corpus with known topics and phrases."""
    return train_small(small(planted_file(folder), **settings), folder / "run")


def train_small(config, folder):
    """A run that may be too small to find anything."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Collapse)
        return train(config, folder, TrainerConfig(accelerator="cpu", threads=1))
