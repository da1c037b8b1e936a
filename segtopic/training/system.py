"""The system that Lightning trains: steps, optimiser, what is watched and logged.

Watched on the development documents, because literally as published the model collapses twice:
the divergence and the active dimensions (it may ignore the topics), and the segments' length and
the likelihood of continuation words (it may never use a phrase). A collapse is told in a warning,
and a number that is none in one sentence with the batch and the documents.
"""

import math
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from torch import Tensor, nn

from segtopic.config import TrainingConfig
from segtopic.errors import TrainingError
from segtopic.model import PackedBatch
from segtopic.model.heldout import HeldOutBatch, PosteriorFigures, PredictionFigures, score_held_out
from segtopic.model.topic_model import TopicModel
from segtopic.training.data import Share, TopicData

# In nats, and more than any epoch can gain or lose. Only patience waits for the end of the warm-up:
# the epoch that is kept is the one with the highest likelihood, wherever it stands. Before, it was
# never one of the warm-up, which on small corpora cost 0.01.
WARM_UP_PENALTY = 1000.0
PREDICTED = ("mean", "refined", "continuation")  # log likelihoods of the development documents
LEAST_KL = 1.0  # nats per document
LEAST_ACTIVE_SHARE = 0.1  # of the topics
LEAST_LONG_SEGMENTS = 0.005  # share of segments of several words
LEAST_DOCUMENTS = 10  # of which anything can be told
SHOWN = 3
REMEDY = "lower learning_rate, weight_decay or trainer.gradient_clip, or look at the documents"


class Collapse(UserWarning):
    """The model ignores its topics or its phrases."""


class TopicSystem(pl.LightningModule):
    """A topic model in training."""

    def __init__(self, model: TopicModel, config: TrainingConfig) -> None:
        super().__init__()
        self.model = model
        self.config = config
        self.prediction = PredictionFigures(
            model.scorer.max_length, refined=config.refinement() > 0, over_processes=True
        )
        self.posterior = PosteriorFigures(model.n_topics, over_processes=True)

    def configure_optimizers(self) -> Any:
        """With a rate that is held for some epochs and then falls.

        Large steps at the end would leave the weights where the last few batches want them.
        """
        optimiser = self.optimiser()
        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, self._share_of_rate)
        return {"optimizer": optimiser, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def optimiser(self) -> torch.optim.Optimizer:
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
        # Fused halves the time of a step on a CPU, but Lightning clips no gradients of a fused
        # optimiser in mixed precision.
        on_cpu = all(parameter.is_cpu for parameter in self.model.parameters())
        mixed = self._trainer is not None and "mixed" in str(self.trainer.precision)
        rate = self.config.learning_rate
        assert rate is not None  # settled
        return torch.optim.AdamW(groups, lr=rate, weight_decay=0.0, fused=on_cpu and not mixed)

    def _share_of_rate(self, step: int) -> float:
        """What the learning rate of a step is of the highest one."""
        held = self.config.rate_held
        if held == 1:
            return 1.0
        left = 1 - step / self.trainer.estimated_stepping_batches
        return min(left / (1 - held), 1.0)

    def on_train_batch_start(self, batch: PackedBatch, batch_index: int) -> None:
        """Random numbers depend on seed, epoch, batch and process only: a resumed run repeats."""
        torch.manual_seed(self._seed_of(batch_index, self.global_rank))

    def _seed_of(self, batch_index: int, rank: int) -> int:
        place = (self.config.seed, self.current_epoch, batch_index, rank)
        return int(np.random.SeedSequence(place).generate_state(1)[0])

    def _deviations(self, batch_index: int, share: Share, means: Tensor) -> Tensor:
        """Those that one process alone would draw for these documents, if it dropped nothing."""
        generator = torch.Generator().manual_seed(self._seed_of(batch_index, rank=0))
        shape = (share.n_documents, means.shape[1])
        drawn = torch.randn(shape, generator=generator, dtype=means.dtype)[share.own]
        return (drawn if len(drawn) else torch.zeros_like(means)).to(means.device)

    def training_step(self, batch: PackedBatch, batch_index: int) -> Tensor:
        """Minus the evidence lower bound per word, the divergence weighted in slowly."""
        several = self.trainer.world_size > 1
        share = self._data().training.share(batch_index) if several else None
        deviations = partial(self._deviations, batch_index, share) if share else torch.randn_like
        terms, _ = self.model.elbo(batch, leave_out=True, deviations=deviations)
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
        if share is not None:  # the mean over processes is then that over the words of all
            loss = loss * (share.of_words * self.trainer.world_size)
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
        scores = score_held_out(self.model, batch, self.config.refinement())
        by_document = scores.mean + scores.best
        if not bool(by_document.isfinite().all()):
            raise broken_development(
                self.model, self._data(), self.current_epoch, batch_index, by_document
            )
        self.prediction.update(scores)
        self.posterior.update(scores.posterior)

    def on_validation_epoch_end(self) -> None:
        """Log the figures of all processes together."""
        predicted = self.prediction.compute()
        if not bool(predicted["mean"].isfinite()):
            raise TrainingError(
                "the development documents have no words to score; "
                "give more documents, or a larger dev_share"
            )
        figures = {
            (f"dev_{name}" if name in PREDICTED else name): float(value)
            for name, value in {**predicted, **self.posterior.compute()}.items()
        }
        # Within the warm-up each epoch is better than the one before: patience does not wear out.
        still_cold = 1 - self._kl_weight(self.current_epoch + 1)
        figures["watched"] = figures[f"dev_{self.config.stop_on}"] - WARM_UP_PENALTY * still_cold
        self.log_dict(figures)
        self.prediction.reset()
        self.posterior.reset()

    def on_fit_end(self) -> None:
        """Warn of a collapse, when the figures of the last epoch can no longer be a slow start."""
        if self._data().n_development < LEAST_DOCUMENTS:
            return
        figures = {name: float(value) for name, value in self.trainer.callback_metrics.items()}
        for message in collapse_warnings(figures, self.model):
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


def broken_loss(
    model: nn.Module, data: TopicData, epoch: int, batch: int, by_document: Tensor
) -> TrainingError:
    """For a batch (both counted from 0) whose documents have these values, ``(D,)``."""
    kind = "nan" if bool(by_document.isnan().any()) else "infinite"
    if has_broken_weights(model) and batch > 0:
        # The loss of the batch before was a number, its gradient was not.
        documents = named(data.training_names(batch - 1))
        what = f"the weights are no numbers after batch {batch} of epoch {epoch + 1}, {documents}"
    else:
        documents = named(_broken(by_document, data.training_names(batch)))
        what = f"the loss is {kind} in batch {batch + 1} of epoch {epoch + 1}, by {documents}"
    return TrainingError(f"{what}; {_remedy(epoch)}")


def broken_development(
    model: nn.Module, data: TopicData, epoch: int, batch: int, by_document: Tensor
) -> TrainingError:
    """The same for a batch of development documents after an epoch."""
    if has_broken_weights(model):
        last = len(data.training) - 1
        documents = named(data.training_names(last))
        what = f"the weights are no numbers after the last batch of epoch {epoch + 1}, {documents}"
    else:
        documents = named(_broken(by_document, data.development_names(batch)))
        what = f"the development likelihood is no number after epoch {epoch + 1}, by {documents}"
    return TrainingError(f"{what}; {_remedy(epoch)}")


def has_broken_weights(model: nn.Module) -> bool:
    """Whether a weight is infinite or not a number."""
    return any(not bool(weight.isfinite().all()) for weight in model.parameters())


def named(names: Sequence[str]) -> str:
    """The first few of them."""
    shown = ", ".join(f"'{name}'" for name in names[:SHOWN])
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"document{'s' if len(names) > 1 else ''} {shown}{more}"


def _broken(by_document: Tensor, names: Sequence[str]) -> Sequence[str]:
    """The documents whose own values are not finite; all, if only the sum is not."""
    found = [name for name, value in zip(names, by_document, strict=True) if not value.isfinite()]
    return found or names


def _remedy(epoch: int) -> str:
    if epoch == 0:
        return REMEDY
    return f"{REMEDY}, or keep the best epoch so far with --resume --epochs {epoch}"
