"""``metrics.csv``: what the development documents showed, a line an epoch.

A resumed run goes on with the lines of the epochs before.
"""

import csv
import io
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from segtopic.files import write_atomically
from segtopic.training.checkpoints import ROOM


class MetricsFile(Callback):
    """Writes the file anew after every epoch; the lines so far are part of the checkpoint."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[dict[str, float]] = []

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Before the checkpoint of the epoch is written."""
        figures = {name: float(value) for name, value in trainer.callback_metrics.items()}
        figures.pop("train_elbo", None)  # not yet complete here
        self.lines.append({"epoch": trainer.current_epoch + 1, **figures})
        if trainer.is_global_zero:
            self.write()

    def write(self) -> None:
        """The file, with the lines so far."""
        text = io.StringIO()
        names = sorted({name for line in self.lines for name in line} - {"epoch"})
        writer = csv.DictWriter(text, ["epoch", *names], lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.lines)
        write_atomically(self.path, text.getvalue(), ROOM)

    def state_dict(self) -> dict[str, Any]:
        """The lines so far."""
        return {"lines": self.lines}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """The lines up to the checkpoint."""
        self.lines = list(state_dict["lines"])
