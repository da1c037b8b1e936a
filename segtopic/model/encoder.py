"""The inference network: a document's bag of words in, a Gaussian over its topics out."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.model.packing import PackedBatch


class Posterior(NamedTuple):
    """``q`` of each document: independent Gaussians over ``zeta``, a point for the background."""

    mean: Tensor  # (D, K)
    log_variance: Tensor  # (D, K)
    background: Tensor  # (D,) log odds of the background, added to the model's own

    def sample(self) -> Tensor:
        """``zeta``, ``(D, K)``, differentiable."""
        return self.moved(torch.randn_like(self.mean))

    def moved(self, deviations: Tensor) -> Tensor:
        """``zeta`` at so many standard deviations from the mean, ``(D, K)``."""
        return self.mean + deviations * (0.5 * self.log_variance).exp()

    def kl(self) -> Tensor:
        """KL divergence from the standard normal prior, ``(D, K)``."""
        variance = self.log_variance.exp()
        return 0.5 * (self.mean.square() + variance - 1 - self.log_variance)


class Encoder(nn.Module):
    """Two ReLU layers on the log counts of a document's words, then Gaussian heads.

    Args:
        vocabulary_size: number of words.
        hidden_size: units of both layers.
        n_topics: dimensions of ``zeta``.
        hidden_words: share of the words hidden from the network while training, at random, so
            that it learns to predict words that it did not see.
        dropout: share of units dropped after each layer, in training.
    """

    def __init__(
        self,
        vocabulary_size: int,
        hidden_size: int,
        n_topics: int,
        hidden_words: float = 0.0,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.words = nn.EmbeddingBag(vocabulary_size, hidden_size, mode="sum")
        nn.init.normal_(self.words.weight, std=0.1)
        self.bias = nn.Parameter(torch.zeros(hidden_size))
        self.second = nn.Linear(hidden_size, hidden_size)
        self.mean = nn.Linear(hidden_size, n_topics)
        self.log_variance = nn.Linear(hidden_size, n_topics)
        self.background = nn.Linear(hidden_size, 1)
        self.hidden_words = hidden_words
        self.dropout = dropout

    def forward(self, batch: PackedBatch) -> Posterior:
        """``q`` for the documents of the batch; an empty one gets what the biases say."""
        if batch.levels:
            bag = batch.levels[0]
            count = bag.count.to(self.bias.dtype)
            if self.training and self.hidden_words > 0:
                count = torch.binomial(count, torch.full_like(count, 1 - self.hidden_words))
            per_document = torch.bincount(bag.parent, minlength=batch.n_documents)
            begins = per_document.cumsum(0) - per_document
            hidden = self.words(bag.word, begins, per_sample_weights=count.log1p())
        else:
            hidden = self.bias.new_zeros(batch.n_documents, len(self.bias))
        hidden = F.dropout(F.relu(hidden + self.bias), self.dropout, self.training)
        hidden = F.dropout(F.relu(self.second(hidden)), self.dropout, self.training)
        # Clamped: one odd document must not make the divergence explode.
        log_variance = self.log_variance(hidden).clamp(-8, 4)
        return Posterior(self.mean(hidden), log_variance, self.background(hidden).squeeze(1))
