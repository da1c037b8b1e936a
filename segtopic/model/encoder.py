"""The inference network: a document's bag of words in, a Gaussian over its topics out.

Where topics are given as distributions over words, the network need not learn them a second time:
it starts from the shares that explain the bag best (:class:`GivenTopics`) and corrects them.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.model.packing import PackedBatch, TrieLevel

GUESS_STEPS = 5  # of expectation and maximisation; more change little
GUESS_PRIOR = 5.0  # words that a document has before its first one
FIRST_TRUST = 0.5  # in the guess: words come in bursts, and count for less than they seem to


class GivenTopics(NamedTuple):
    """Topics as distributions over words, and how ``zeta`` makes shares of them.

    Common words are one more of them.
    """

    words: Tensor  # (Z, V)
    share_bias: Tensor  # (Z,)
    share_scale: Tensor  # ()

    @torch.no_grad()
    def guess(self, bag: TrieLevel, count: Tensor, n_documents: int) -> Tensor:
        """``(D, Z)``: the ``zeta`` of the shares under which the words are most probable."""
        prior = self.share_bias.softmax(0)
        # Topic by topic: word by word, every number would come from another place in memory.
        of_topics = self.words.index_select(1, bag.word).t().contiguous()  # (P, Z)
        shares = prior.expand(n_documents, -1)
        for _ in range(GUESS_STEPS):
            explained = of_topics * shares[bag.parent]
            explained = explained * (count / explained.sum(1))[:, None]
            words = (GUESS_PRIOR * prior).repeat(n_documents, 1)
            words.index_add_(0, bag.parent, explained)
            shares = words / words.sum(1, keepdim=True)
        zeta = (shares.log() - self.share_bias) / self.share_scale
        return zeta - zeta.mean(1, keepdim=True)


class Posterior(NamedTuple):
    """``q`` of each document: independent Gaussians over ``zeta``, a point for the background."""

    mean: Tensor  # (D, Z)
    log_variance: Tensor  # (D, Z)
    background: Tensor  # (D,) log odds of the background, added to the model's own

    def sample(self) -> Tensor:
        """``zeta``, ``(D, Z)``, differentiable."""
        return self.moved(torch.randn_like(self.mean))

    def moved(self, deviations: Tensor) -> Tensor:
        """``zeta`` at so many standard deviations from the mean, ``(D, Z)``."""
        return self.mean + deviations * (0.5 * self.log_variance).exp()

    def kl(self) -> Tensor:
        """KL divergence from the standard normal prior, ``(D, Z)``."""
        variance = self.log_variance.exp()
        return 0.5 * (self.mean.square() + variance - 1 - self.log_variance)


class Encoder(nn.Module):
    """Two ReLU layers on the log counts of a document's words, then Gaussian heads.

    Args:
        vocabulary_size: number of words.
        hidden_size: units of both layers.
        n_hidden: dimensions ``Z`` of ``zeta``.
        hidden_words: share of the words hidden from the network while training, at random, so
            that it learns to predict words that it did not see.
        dropout: share of units dropped after each layer, in training.
        guesses: whether topics will be given.
    """

    def __init__(
        self,
        vocabulary_size: int,
        hidden_size: int,
        n_hidden: int,
        hidden_words: float = 0.0,
        dropout: float = 0.0,
        guesses: bool = False,
    ) -> None:
        super().__init__()
        self.words = nn.EmbeddingBag(vocabulary_size, hidden_size, mode="sum")
        nn.init.normal_(self.words.weight, std=0.1)
        self.bias = nn.Parameter(torch.zeros(hidden_size))
        self.second = nn.Linear(hidden_size, hidden_size)
        self.mean = nn.Linear(hidden_size, n_hidden)
        self.log_variance = nn.Linear(hidden_size, n_hidden)
        self.background = nn.Linear(hidden_size, 1)
        self.trust = nn.Parameter(torch.tensor(FIRST_TRUST)) if guesses else None
        self.from_guess = nn.Linear(n_hidden, hidden_size, bias=False) if guesses else None
        self.hidden_words = hidden_words
        self.dropout = dropout

    def forward(self, batch: PackedBatch, given: GivenTopics | None = None) -> Posterior:
        """``q`` for the documents of the batch; an empty one gets what the biases say."""
        guess = None
        if batch.levels:
            bag = batch.levels[0]
            count = bag.count.to(self.bias.dtype)
            if self.training and self.hidden_words > 0:
                count = torch.binomial(count, torch.full_like(count, 1 - self.hidden_words))
            per_document = torch.bincount(bag.parent, minlength=batch.n_documents)
            begins = per_document.cumsum(0) - per_document
            hidden = self.words(bag.word, begins, per_sample_weights=count.log1p())
            if given is not None and self.from_guess is not None:
                guess = given.guess(bag, count, batch.n_documents)
                hidden = hidden + self.from_guess(guess)
        else:
            hidden = self.bias.new_zeros(batch.n_documents, len(self.bias))
        hidden = F.dropout(F.relu(hidden + self.bias), self.dropout, self.training)
        hidden = F.dropout(F.relu(self.second(hidden)), self.dropout, self.training)
        # Clamped: one odd document must not make the divergence explode.
        log_variance = self.log_variance(hidden).clamp(-8, 4)
        mean = self.mean(hidden)
        if guess is not None and self.trust is not None:
            mean = mean + self.trust * guess
        return Posterior(mean, log_variance, self.background(hidden).squeeze(1))
