"""What is trained and decoded here: SWAN or a peer, over the same batches."""

import math
from abc import ABC, abstractmethod
from typing import NamedTuple

from torch import Tensor, nn

from segtopic.swan.decode import Hypothesis


class PairBatch(NamedTuple):
    """Padded sequences of both sides and how much of them counts."""

    inputs: Tensor  # (B, T'') symbols, or (B, T'', F) features
    input_lengths: Tensor  # (B,)
    targets: Tensor  # (B, T)
    target_lengths: Tensor  # (B,)


class Losses(NamedTuple):
    """Of each pair."""

    losses: Tensor  # (B,)
    log_likelihoods: Tensor  # (B,) without a gradient


class SequenceModel(nn.Module, ABC):
    """A distribution of output sequences, given input sequences."""

    @abstractmethod
    def log_likelihood(self, batch: PairBatch) -> Tensor:
        """``(B,)``: ``log p(outputs | inputs)``; minus infinity where it is impossible."""

    def losses(self, batch: PairBatch, progress: float) -> Losses:
        """What a training step makes smaller, and the likelihood that it saw.

        Args:
            batch: pairs.
            progress: of the training, from 0 to 1.
        """
        log_likelihood = self.log_likelihood(batch)
        return Losses(-learnable(log_likelihood), log_likelihood.detach())

    def phase(self, progress: float) -> float:
        """How much of its present phase is done; the learning rate rises and falls in each."""
        return progress

    def learned_at(self, progress: float) -> "SequenceModel":
        """What is learned then: the model, or for a while only a part of it, as a model."""
        return self

    @abstractmethod
    def decode(self, inputs: Tensor, lengths: Tensor) -> list[list[Hypothesis]]:
        """The best outputs of each input sequence, best first."""


def learnable(log_likelihood: Tensor) -> Tensor:
    """Zero instead of minus infinity.

    A sound that was stretched in training may have become too short for its outputs: there is
    nothing to learn from it then.
    """
    return log_likelihood.masked_fill(log_likelihood == -math.inf, 0)
