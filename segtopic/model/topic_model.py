"""The topic model: a Gaussian per document, made into topic shares, makes its segments.

    zeta ~ N(0, I),  theta = softmax(zeta),  x = W theta,
    log p(document | zeta) = sum over its spans of log p(span | x),

where ``p(span | x)`` sums over all segmentations (:mod:`segtopic.lattice`) of the product of
segment probabilities (:mod:`segtopic.model.scorer`).

Topics may be given as distributions over words (from LDA): ``theta = softmax(b + s zeta)`` with
learned ``b`` and ``s``, first words are drawn from their mixture, and the network's logits correct
it. Beside the topics there may be words that all documents share (:mod:`segtopic.model.common`);
then ``zeta`` has one more dimension, and the softmax one more component. Two things are added to
the distributions of words, because real documents are bursty:

- *background*: a share ``e`` of each document's first words is uniform over the vocabulary, so
  that documents with words never seen in training stay possible;
- *burstiness*: a document tends to repeat its own words, and so it does its phrases
  (:mod:`segtopic.model.urn`).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.lattice import log_partition
from segtopic.model.common import CommonWords
from segtopic.model.continuations import Context
from segtopic.model.encoder import Encoder, GivenTopics, Posterior
from segtopic.model.packing import PackedBatch, Urn
from segtopic.model.scorer import SegmentParts, SegmentScorer
from segtopic.model.urn import OwnPhrases

SHARE_SCALE = 2.5  # of zeta, at first: documents of news are about a few topics out of fifty
BACKGROUND_MEAN, BACKGROUND_DEVIATION = -3.0, 1.5  # of the prior on the log odds of e


class Latent(NamedTuple):
    """A document's hidden values."""

    zeta: Tensor  # (D, Z), one more than topics if there are common words
    background: Tensor  # (D,) log odds, relative to the model's own


class ElboTerms(NamedTuple):
    """Per document, ``(D,)``."""

    log_likelihood: Tensor
    kl: Tensor


class TopicModel(nn.Module):
    """Encoder, topic vectors and segment scorer.

    Args:
        encoder: gives ``q(zeta | bag of words)``.
        scorer: gives segment probabilities.
        n_topics: ``K``.
        topic_scale: deviation of the initial topic vectors. At the start theta is nearly uniform;
            small vectors would hide it from the decoder, which then learns to ignore it.
        background: whether first words have the uniform background.
        burstiness: whether documents repeat their words.
        own_phrases: whether they repeat their phrases, and their words at a discount.
        topic_words: whether topics are given distributions over words (:meth:`start_topics`),
            which the network corrects, instead of being made by the network alone.
        common: whether there are common words beside them; only with given topics.
    """

    def __init__(
        self,
        encoder: Encoder,
        scorer: SegmentScorer,
        n_topics: int,
        topic_scale: float = 3.0,
        background: bool = True,
        burstiness: bool = True,
        own_phrases: bool = False,
        topic_words: bool = False,
        common: bool = False,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.scorer = scorer
        self.topics = nn.Linear(n_topics, scorer.hidden_size, bias=False)
        nn.init.normal_(self.topics.weight, std=topic_scale)
        self.background = nn.Parameter(torch.tensor(BACKGROUND_MEAN)) if background else None
        self.log_urn = nn.Parameter(torch.tensor(5.0)) if burstiness else None
        discounted = own_phrases and burstiness
        self.urn_discount = nn.Parameter(torch.tensor(0.0)) if discounted else None
        repeats = own_phrases and scorer.max_length > 1
        self.own_phrases = OwnPhrases(scorer.max_length) if repeats else None
        self.topic_words: Tensor | None
        words = torch.zeros(n_topics, scorer.vocabulary_size) if topic_words else None
        self.register_buffer("topic_words", words)
        if topic_words:
            self.share_bias = nn.Parameter(torch.zeros(n_topics))
            self.log_share_scale = nn.Parameter(torch.tensor(SHARE_SCALE).log())
        self.common: CommonWords | None = None
        if common and topic_words:
            self.common = CommonWords(scorer.vocabulary_size, scorer.hidden_size, topic_scale)

    @property
    def n_topics(self) -> int:
        """How many topics there are, ``K``; the common words are none."""
        return self.topics.in_features

    @property
    def keeps_common(self) -> bool:
        """Whether words that all documents share were found, and are kept apart."""
        return self.common is not None and bool(self.common.found)

    @property
    def n_hidden(self) -> int:
        """The dimensions of ``zeta``, ``Z``."""
        return self.n_topics + (self.common is not None)

    @torch.no_grad()
    def start_topics(self, topic_words: Tensor, alpha: Tensor) -> None:
        """Take over ``(K, V)`` distributions of words in topics and the ``(K,)`` prior of topics.

        Common words are started by :meth:`start_common`.
        """
        assert self.topic_words is not None
        self.topic_words.copy_(topic_words)
        self.share_bias.copy_(alpha.log() - alpha.log().mean())

    @torch.no_grad()
    def start_common(self, words: Tensor, alpha: Tensor, alpha_of_topics: Tensor) -> None:
        """Take over the ``(V,)`` common words and their prior, beside that of the topics."""
        assert self.common is not None
        self.common.start(words, alpha.log() - alpha_of_topics.log().mean())

    def infer(self, batch: PackedBatch) -> Posterior:
        """What the encoder says of the documents."""
        if self.topic_words is None:
            result: Posterior = self.encoder(batch)
        else:
            words = self.topic_words
            if self.common is not None:
                words = torch.cat([words, self.common.words[None]])
            given = GivenTopics(words, self._share_biases(), self.log_share_scale.exp())
            result = self.encoder(batch, given)
        return result

    def theta(self, zeta: Tensor) -> Tensor:
        """Topic shares, ``(D, K)``; they sum to one, whatever is common."""
        of_topics = zeta[:, : self.n_topics]
        if self.topic_words is None:
            return of_topics.softmax(1)
        return (self.share_bias + self.log_share_scale.exp() * of_topics).softmax(1)

    def common_share(self, zeta: Tensor) -> Tensor:
        """Shares of the common words, ``(D,)``; zero if there are none."""
        if self.common is None:
            return zeta.new_zeros(len(zeta))
        return (self._share_biases() + self.log_share_scale.exp() * zeta).softmax(1)[:, -1]

    def _share_biases(self) -> Tensor:
        """``(Z,)``, that of the common words last."""
        if self.common is None:
            return self.share_bias
        return torch.cat([self.share_bias, self.common.share_bias])

    def context(
        self, theta: Tensor, common_share: Tensor | None = None, leave_out: bool = False
    ) -> Context:
        """What the continuation may know of documents.

        Args:
            theta: ``(D, K)`` topic shares.
            common_share: ``(D,)``; without it, the documents are about their topics alone.
            leave_out: for documents that were counted, and must not predict themselves.
        """
        x = self.topics(theta)
        words = None if self.topic_words is None else theta @ self.topic_words
        if self.common is not None and words is not None and common_share is not None:
            share = common_share[:, None]
            x = (1 - share) * x + share * self.common.vector
            words = (1 - share) * words + share * self.common.words
        # With given topics, first words are offset by the logits of their mixture.
        return Context(self.scorer, x, None if words is None else words.log(), leave_out)

    def context_of(self, zeta: Tensor, leave_out: bool = False) -> Context:
        """The same of documents with these hidden values."""
        return self.context(self.theta(zeta), self.common_share(zeta), leave_out)

    def parts(self, zeta: Tensor, batch: PackedBatch, leave_out: bool) -> SegmentParts:
        """Segment probabilities given ``zeta``, before background and burstiness."""
        context = replace(self.context_of(zeta, leave_out), span_ends=False)
        return self.scorer.parts(context, batch)

    def first_word_distribution(self, theta: Tensor, common_share: Tensor | None = None) -> Tensor:
        """Probabilities of all words as first words, ``(D, V)``, before background and burstiness.

        For given topic shares; see :meth:`context`.
        """
        return self.scorer.continuation.first_word_distribution(self.context(theta, common_share))

    def score_bags(self, zeta: Tensor, batch: PackedBatch) -> Tensor:
        """Their log probabilities for the words of the documents' bags only, ``(P,)``."""
        return self.scorer.continuation.score_bags(self.context_of(zeta), batch.levels[0])

    def with_background_and_urn(
        self, softmax: Tensor, background: Tensor, document: Tensor, urn: Urn | None
    ) -> Tensor:
        """Log probabilities of first words as they are drawn, from those of the softmax, ``(M,)``.

        Args:
            softmax: log probability of each word in its document's softmax.
            background: ``(D,)`` log odds relative to the model's own.
            document: of each word.
            urn: when each word is drawn; None for none.
        """
        result = softmax
        if self.background is not None:
            odds = (self.background + background)[document]
            uniform = -math.log(self.scorer.vocabulary_size)
            result = torch.logaddexp(F.logsigmoid(-odds) + result, F.logsigmoid(odds) + uniform)
        if self.log_urn is not None and urn is not None:
            seen, size, kinds = (each[:, 0].to(result.dtype) for each in urn)
            if self.urn_discount is None:
                result = torch.logaddexp(self.log_urn + result, seen.log())
                result = result - torch.logaddexp(self.log_urn, size.log())
            else:
                discount, strength = self.urn_discount.sigmoid(), self.log_urn.exp()
                own = (seen - discount).clamp(min=0)
                drawn = own + (strength + discount * kinds) * result.exp()
                result = drawn.log() - (strength + size).log()
        return result

    def scores(
        self, latent: Latent, batch: PackedBatch, urn: Urn | None, leave_out: bool = False
    ) -> Tensor:
        """``(N, L)`` for the lattice."""
        parts = self.parts(latent.zeta, batch, leave_out)
        first = self.with_background_and_urn(
            parts.first_word[batch.node[:, 0]], latent.background, batch.document_of_word, urn
        )
        return first[:, None] + parts.rest(batch, urn, self.own_phrases)

    def log_likelihood(
        self, latent: Latent, batch: PackedBatch, urn: Urn | None, leave_out: bool = False
    ) -> Tensor:
        """``(D,)``: log p(document | latent), summed over all segmentations."""
        scores = self.scores(latent, batch, urn, leave_out)
        return batch.sum_by_document(log_partition(scores, batch.spans))

    def elbo(
        self,
        batch: PackedBatch,
        leave_out: bool,
        deviations: Callable[[Tensor], Tensor] = torch.randn_like,
    ) -> tuple[ElboTerms, Posterior]:
        """A one-sample estimate for every document of the batch.

        ``deviations`` draws the samples' distances from the means, in standard deviations.
        """
        posterior = self.infer(batch)
        latent = Latent(posterior.moved(deviations(posterior.mean)), posterior.background)
        likelihood = self.log_likelihood(latent, batch, batch.earlier, leave_out)
        likelihood = likelihood - self.background_penalty(posterior.background)
        return ElboTerms(likelihood, posterior.kl().sum(1)), posterior

    def fast_parameters(self) -> Iterator[nn.Parameter]:
        """The few numbers that say how far to trust counts; they learn at a faster pace."""
        yield from self.scorer.continuation.fast_parameters()
        if self.own_phrases is not None:
            yield from self.own_phrases.parameters()

    def background_penalty(self, background: Tensor) -> Tensor:
        """Minus the log prior of the documents' background, up to a constant, ``(D,)``."""
        if self.background is None:
            return torch.zeros_like(background)
        return 0.5 * (background / BACKGROUND_DEVIATION).square()
