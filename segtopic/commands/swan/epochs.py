"""How a training of a sequence model goes on, for people."""

from collections.abc import Mapping

import pytorch_lightning as pl

from segtopic.commands.epochs import EpochLines


class SwanEpochLines(EpochLines):
    """A line for every epoch.

    Args:
        inputs: what the development inputs are called.
    """

    def __init__(self, inputs: str) -> None:
        super().__init__()
        self.inputs = inputs

    def line(self, figures: Mapping[str, float], pl_module: pl.LightningModule) -> str:
        """Likelihoods, and the errors of greedy search on the development inputs."""
        return (
            f"train {figures['train_nats']:.3f}  dev {figures['dev_nats']:.3f} nats a symbol  "
            f"{self.inputs} wrong {figures['dev_words_wrong']:.1%}  "
            f"symbols wrong {figures['dev_symbols_wrong']:.1%}"
        )
