"""The system that Lightning trains: steps, optimiser, what is watched and logged.

Watched on the development documents, because literally as published the model collapses twice:
the divergence and the active dimensions (it may ignore the topics), and the segments' length and
the likelihood of continuation words (it may never use a phrase).
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from torch import Tensor

from segtopic.config import TrainingConfig
from segtopic.errors import TrainingError
from segtopic.lattice import segment_posteriors
from segtopic.model import PackedBatch
from segtopic.model.inference import encoder_mean, predictive_scores, refine
from segtopic.model.topics import TopicModel, Urn
from segtopic.training.data import HeldOutBatch, TopicData
from segtopic.training.finite import broken_development, broken_loss

WARM_UP_PENALTY = 1000.0  # nats; more than any epoch can gain or lose
ACTIVE_VARIANCE = 0.01  # of a dimension's posterior means over documents


class TopicSystem(pl.LightningModule):
    """A topic model in training."""

    def __init__(self, model: TopicModel, config: TrainingConfig) -> None:
        super().__init__()
        self.model = model
        self.config = config
        self._sums: dict[str, Tensor] = {}

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Decay for matrices; a faster pace for the few numbers that weigh counts."""
        matrices: list[Tensor] = []
        vectors: list[Tensor] = []
        scalars: list[Tensor] = []
        fast = {id(each) for each in self.model.scorer.continuation.fast_parameters()}
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

    def on_validation_epoch_start(self) -> None:
        """Sums and counts are gathered, never means of means."""
        self._sums = {}

    def validation_step(self, batch: HeldOutBatch, batch_index: int) -> None:
        """Predict the scored words of the development documents."""
        observed, scored = batch
        latent = encoder_mean(self.model, observed)
        by_mean = predictive_scores(self.model, latent, observed, scored)
        refined = refine(self.model, latent, observed, self.config.refine_steps)
        by_refined = predictive_scores(self.model, refined, observed, scored)
        by_document = scored.sum_by_document(by_mean.total + by_refined.total)
        if not bool(by_document.isfinite().all()):
            raise broken_development(
                self.model, self._data(), self.current_epoch, batch_index, by_document
            )
        posterior = self.model.encoder(observed)
        scores = self.model.scores(refined, observed, Urn(observed.seen, observed.position))
        segments = segment_posteriors(scores, observed.spans).double().sum(0)  # (L,)
        several = scored.spans.lengths > 1
        sizes = torch.arange(1, len(segments) + 1, device=segments.device)
        self._add(
            mean=by_mean.total.sum(),
            refined=by_refined.total.sum(),
            words=scored.spans.n_words,
            continuation=(by_refined.total - by_refined.first)[several].sum(),
            continuation_words=(scored.spans.lengths - 1).sum(),
            kl=posterior.kl().sum(),
            documents=observed.n_documents,
            means=posterior.mean.double().sum(0),
            squares=posterior.mean.double().square().sum(0),
            segments=segments.sum(),
            long_segments=segments[1:].sum(),
            segment_words=(segments * sizes).sum(),
        )

    def _add(self, **values: Tensor | float) -> None:
        for name, value in values.items():
            value = torch.as_tensor(value, dtype=torch.float64, device=self.device)
            self._sums[name] = self._sums.get(name, torch.zeros_like(value)) + value

    def on_validation_epoch_end(self) -> None:
        """Log the figures of all processes together."""
        strategy = self.trainer.strategy
        sums = {name: strategy.reduce(v, reduce_op="sum") for name, v in self._sums.items()}
        if not sums or float(sums["words"]) == 0:
            raise TrainingError(
                "the development documents have no words to score; "
                "give more documents, or a larger dev_share"
            )
        figures = {name: float(value) for name, value in development_figures(sums).items()}
        # An epoch within the warm-up is never the best, and always better than the one before.
        still_cold = 1 - self._kl_weight(self.current_epoch + 1)
        figures["watched"] = figures[f"dev_{self.config.stop_on}"] - WARM_UP_PENALTY * still_cold
        self.log_dict(figures)


def development_figures(sums: Mapping[str, Any]) -> dict[str, Tensor]:
    """The figures that are watched, from sums over the development documents."""
    variance = sums["squares"] / sums["documents"] - (sums["means"] / sums["documents"]).square()
    return {
        "dev_mean": sums["mean"] / sums["words"],
        "dev_refined": sums["refined"] / sums["words"],
        "dev_continuation": sums["continuation"] / sums["continuation_words"].clamp(min=1),
        "kl": sums["kl"] / sums["documents"],
        "active_topics": (variance > ACTIVE_VARIANCE).sum().double(),
        "segment_length": sums["segment_words"] / sums["segments"].clamp(min=1e-9),
        "long_segments": sums["long_segments"] / sums["segments"].clamp(min=1e-9),
    }
