"""How a training goes on: a line for every epoch on the error stream."""

import sys

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback


class EpochLine(Callback):
    """Prints the development likelihood after every epoch."""

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Print the line."""
        figure = float(trainer.callback_metrics["dev_refined"])
        print(
            f"[SegTopic] epoch {trainer.current_epoch + 1} of at most {trainer.max_epochs}: "
            f"predictive log likelihood {figure:.4f}",
            file=sys.stderr,
            flush=True,
        )
