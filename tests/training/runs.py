"""A small trained run for tests that look at what a model has found."""

import warnings

from segtopic.commands.train import train
from segtopic.config import TrainerConfig
from segtopic.training.system import Collapse
from tests.training.planted import planted_file, small


def planted_run(folder, **settings):
    """A run on the corpus with known topics and phrases."""
    config = small(planted_file(folder), **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Collapse)
        return train(config, folder / "run", TrainerConfig(accelerator="cpu", threads=1))
