"""The system that Lightning trains: steps, optimiser, what is watched and logged.

Watched on the development documents, because literally as published the model collapses twice:
the divergence and the active dimensions (it may ignore the topics), and the segments' length and
the likelihood of continuation words (it may never use a phrase).
"""

import math
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from torch import Tensor

from segtopic.config import TrainingConfig
from segtopic.errors import TrainingError
from segtopic.model import PackedBatch
from segtopic.model.figures import PosteriorFigures, PredictionFigures
from segtopic.model.heldout import HeldOutBatch, score_held_out
from segtopic.model.topic_model import TopicModel
from segtopic.training.data import TopicData
from segtopic.training.finite import broken_development, broken_loss

WARM_UP_PENALTY = 1000.0  # nats; more than any epoch can gain or lose
PREDICTED = ("mean", "refined", "continuation")  # log likelihoods of the development documents


class TopicSystem(pl.LightningModule):
    """A topic model in training."""

    def __init__(self, model: TopicModel, config: TrainingConfig) -> None:
        super().__init__()
        self.model = model
        self.config = config
        self.prediction = PredictionFigures(model.scorer.max_length, over_processes=True)
        self.posterior = PosteriorFigures(model.n_topics, over_processes=True)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Decay for matrices; a faster pace for the few numbers that weigh counts."""
        matrices: list[Tensor] = []
        vectors: list[Tensor] = []
        scalars: list[Tensor] = []
        fast = {id(each) for each in self.model.fast_parameters()}
        for parameter in self.model.parameters():
            if parameter.dim() == 0 or id(parameter) in fast:
                scalars.append(parameter)
            else:
                (matrices if parameter.dim() > 1 else vectors).append(parameter)
        groups: list[dict[str, Any]] = [
            {"params": matrices, "weight_decay": self.config.weight_decay},
            {"params": vectors},
            {"params": scalars, "lr": self.config.scalar_learning_rate},
        ]
        groups = [group for group in groups if group["params"]]
        # Fused halves the time of a step on a CPU; elsewhere it would forbid 16-mixed precision.
        on_cpu = all(parameter.is_cpu for parameter in self.model.parameters())
        rate = self.config.learning_rate
        return torch.optim.AdamW(groups, lr=rate, weight_decay=0.0, fused=on_cpu)

    def on_train_batch_start(self, batch: PackedBatch, batch_index: int) -> None:
        """Random numbers depend on seed, epoch, batch and process only: a resumed run repeats."""
        place = (self.config.seed, self.current_epoch, batch_index, self.global_rank)
        torch.manual_seed(int(np.random.SeedSequence(place).generate_state(1)[0]))

    def training_step(self, batch: PackedBatch, batch_index: int) -> Tensor:
        """Minus the evidence lower bound per word, the divergence weighted in slowly."""
        terms, _ = self.model.elbo(batch, leave_out=True)
        weight = self._kl_weight(
            self.current_epoch + batch_index / self.trainer.num_training_batches
        )
        n_words = max(batch.spans.n_words, 1)
        by_document = terms.log_likelihood - weight * terms.kl
        loss = -by_document.sum() / n_words
        if not math.isfinite(loss.item()):
            raise broken_loss(
                self.model, self._data(), self.current_epoch, batch_index, by_document
            )
        log = {"train_elbo": (terms.log_likelihood - terms.kl).sum() / n_words}
        self.log_dict(log, on_step=False, on_epoch=True, batch_size=n_words, sync_dist=True)
        return loss

    def _data(self) -> TopicData:
        data = self.trainer.datamodule  # type: ignore[attr-defined]
        assert isinstance(data, TopicData)
        return data

    def _kl_weight(self, epochs: float) -> float:
        """The weight of the divergence after so many epochs."""
        return min(1.0, epochs / self.config.kl_warmup) if self.config.kl_warmup else 1.0

    def validation_step(self, batch: HeldOutBatch, batch_index: int) -> None:
        """Predict the scored words of the development documents."""
        scores = score_held_out(self.model, batch, self.config.refine_steps)
        by_document = scores.mean + scores.refined
        if not bool(by_document.isfinite().all()):
            raise broken_development(
                self.model, self._data(), self.current_epoch, batch_index, by_document
            )
        self.prediction.update(scores)
        self.posterior.update(scores.posterior)

    def on_validation_epoch_end(self) -> None:
        """Log the figures of all processes together."""
        predicted = self.prediction.compute()
        if not bool(predicted["refined"].isfinite()):
            raise TrainingError(
                "the development documents have no words to score; "
                "give more documents, or a larger dev_share"
            )
        figures = {
            (f"dev_{name}" if name in PREDICTED else name): float(value)
            for name, value in {**predicted, **self.posterior.compute()}.items()
        }
        # An epoch within the warm-up is never the best, and always better than the one before.
        still_cold = 1 - self._kl_weight(self.current_epoch + 1)
        figures["watched"] = figures[f"dev_{self.config.stop_on}"] - WARM_UP_PENALTY * still_cold
        self.log_dict(figures)
        self.prediction.reset()
        self.posterior.reset()
