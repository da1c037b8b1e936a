"""Does the paper's softmax keep its phrases when the memory that carried it is taken away?

    SEGTOPIC_DATA=FOLDER python scripts/anneal_memory.py [--held 3] [--falling 3] [--after 4]

The default model is trained on AP with its memory of phrases for some epochs. Then the memory's
way after each word gets less and less probable, and so does its say in where phrases end, until
the network alone is left; it trains on for some epochs. Printed after each epoch: the memory's
weight, development likelihoods (refined; continuation words) and the share of segments with several
words. The last line is one JSON object.
"""

import argparse
import json
import math
import tempfile
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor

from segtopic.config import RunConfig, TrainerConfig
from segtopic.corpus import prepare_corpus
from segtopic.model.continuations import CONTINUATIONS
from segtopic.model.continuations.three_ways import ThreeWays, Ways
from segtopic.runs import RunCorpus
from segtopic.training.task import TrainingTask
from segtopic.training.train import fit_model


class Fading(ThreeWays):
    """Three ways with a memory of some weight: 1 as it is, 0 as if there were none."""

    weight = 1.0

    def log_ways(self, state: Tensor, left_over: Tensor, liked: Tensor, depth: int) -> Ways:
        """With the memory's way and its odds weighed."""
        weighed = self.weight * left_over + (1 - self.weight) * 0.5
        ways = super().log_ways(state, weighed, liked, depth)
        memory = ways.memory + (math.log(self.weight) if self.weight else -torch.inf)
        return Ways(*torch.stack([ways.end, memory, ways.network]).log_softmax(0))


class FadeOut(pl.Callback):
    """The memory's weight epoch by epoch, and a line for each."""

    def __init__(self, model: Fading, held: int, falling: int) -> None:
        self.model, self.held, self.falling = model, held, falling
        self.lines: list[dict[str, Any]] = []

    def on_train_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Let it fade."""
        gone = (trainer.current_epoch - self.held + 1) / self.falling
        self.model.weight = 1.0 - min(max(gone, 0.0), 1.0)

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Tell the figures."""
        names = ("dev_refined", "dev_mean", "dev_continuation", "long_segments")
        figures = {name: round(float(trainer.callback_metrics[name]), 4) for name in names}
        self.lines.append({"epoch": trainer.current_epoch + 1, "memory": self.model.weight})
        self.lines[-1] |= figures
        print(json.dumps(self.lines[-1]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, epochs in (("held", 3), ("falling", 3), ("after", 4)):
        parser.add_argument(f"--{name}", type=int, default=epochs, help="epochs")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    CONTINUATIONS["three-ways"] = Fading
    epochs = chosen.held + chosen.falling + chosen.after
    settings: dict[str, Any] = {"data": "ap", "vocabulary_size": 10_000, "refine_steps": 15}
    config = RunConfig(**settings, epochs=epochs, patience=epochs)
    corpus = RunCorpus.of(prepare_corpus(config).load(), config, keep_texts=False)
    task = TrainingTask.of(corpus, config)
    model = task.new_model()
    fading = model.scorer.continuation
    assert isinstance(fading, Fading)
    callback = FadeOut(fading, chosen.held, chosen.falling)
    with tempfile.TemporaryDirectory() as folder:
        fit_model(model, task, Path(folder), TrainerConfig(threads=1), callbacks=[callback])
    print(json.dumps(callback.lines))


if __name__ == "__main__":
    main()
