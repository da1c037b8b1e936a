"""A loud warning when the model has stopped to use its topics, or its phrases."""

import warnings

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from segtopic.model.topic_model import TopicModel
from segtopic.training.data import TopicData
from segtopic.training.system import TopicSystem

LEAST_KL = 1.0  # nats per document
LEAST_ACTIVE_SHARE = 0.1  # of the topics
LEAST_LONG_SEGMENTS = 0.005  # share of segments of several words
LEAST_DOCUMENTS = 10  # of which anything can be told


class Collapse(UserWarning):
    """The model ignores its topics or its phrases."""


class CollapseWarning(Callback):
    """Looks at the figures of the last epoch, when they can no longer be a slow start."""

    def on_fit_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Warn once, after training."""
        assert isinstance(pl_module, TopicSystem)
        data = trainer.datamodule  # type: ignore[attr-defined]
        if isinstance(data, TopicData) and data.n_development < LEAST_DOCUMENTS:
            return
        figures = {name: float(value) for name, value in trainer.callback_metrics.items()}
        for message in collapse_warnings(figures, pl_module.model):
            warnings.warn(message, Collapse, stacklevel=2)


def collapse_warnings(figures: dict[str, float], model: TopicModel) -> list[str]:
    """What is wrong with the figures of an epoch, in sentences."""
    found: list[str] = []
    if not {"kl", "active_topics", "long_segments"} <= figures.keys():
        return found
    active = figures["active_topics"] / model.n_topics
    if model.n_topics > 1 and (figures["kl"] < LEAST_KL or active < LEAST_ACTIVE_SHARE):
        found.append(
            f"the model ignores its topics: the divergence is {figures['kl']:.2f} nats per "
            f"document and {figures['active_topics']:.0f} of {model.n_topics} topics are active; "
            "try a larger topic_scale or kl_warmup, or more epochs"
        )
    if model.scorer.max_length > 1 and figures["long_segments"] < LEAST_LONG_SEGMENTS:
        found.append(
            f"the model uses no phrases: {figures['long_segments']:.2%} of its segments have more "
            "than one word; use continuation 'phrases', or more text"
        )
    return found
