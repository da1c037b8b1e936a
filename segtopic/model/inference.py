"""What a trained model infers of documents: their topics, and how well it predicts their words.

The encoder answers at once. *Refined* inference then takes some gradient steps on each document's
own ``zeta`` and background, on the observed words only. It is done as generalised EM: the
posterior over segmentations tells which words start a segment, and the steps raise

    sum over words of p(word starts a segment) log p(word as first word | zeta) + log p(zeta),

for which one softmax row a document is enough. The posterior is computed anew between rounds.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from segtopic.lattice import log_partition, segment_posteriors
from segtopic.model.packing import PackedBatch
from segtopic.model.topic_model import Latent, TopicModel
from segtopic.model.urn import observed_urn

REFINE_ROUNDS = 2
REFINE_RATE = 0.15


class SpanScores(NamedTuple):
    """Log likelihoods of the spans of a batch."""

    total: Tensor  # (S,) of all words
    first: Tensor  # (S,) of the first word of each span, as first word


@torch.no_grad()
def encoder_mean(model: TopicModel, observed: PackedBatch) -> Latent:
    """The mean of ``q``."""
    posterior = model.infer(observed)
    return Latent(posterior.mean, posterior.background)


def refine(model: TopicModel, latent: Latent, observed: PackedBatch, steps: int) -> Latent:
    """Improve the latent values on the observed words; see the module's docstring."""
    if steps == 0:
        return latent
    urn, document = observed.earlier, observed.document_of_word
    # Where nothing is observed the prior alone counts, and its mode is known.
    observes = torch.bincount(document, minlength=observed.n_documents) > 0
    zeta, background = (value.detach().clone() for value in latent)
    zeta[~observes], background[~observes] = 0, 0
    if not observed.levels:
        return Latent(zeta, background)
    for done in range(REFINE_ROUNDS):
        with torch.no_grad():
            scores = model.scores(Latent(zeta, background), observed, urn)
            starts = segment_posteriors(scores, observed.spans).sum(1)  # (N,)
        zeta.requires_grad_()
        background.requires_grad_()
        steppers = [_Adam(zeta), _Adam(background)]
        for _ in range(steps // REFINE_ROUNDS + (done < steps % REFINE_ROUNDS)):
            with torch.enable_grad():
                softmax = model.score_bags(zeta, observed)[observed.node[:, 0]]
                words = model.with_background_and_urn(softmax, background, document, urn)
                prior = 0.5 * zeta.square().sum() + model.background_penalty(background).sum()
                loss = prior - (starts * words).sum()
                gradients = torch.autograd.grad(loss, (zeta, background), allow_unused=True)
            for stepper, gradient in zip(steppers, gradients, strict=True):
                stepper.step(gradient)
        zeta, background = zeta.detach(), background.detach()
    return Latent(zeta, background)


class _Adam:
    """The steps of ``torch.optim.Adam`` on one tensor, to the last bit.

    torch's own imports its compiler with the first step: 1.7 s, as long as torch itself takes.
    """

    BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8

    def __init__(self, value: Tensor) -> None:
        self._value = value
        self._mean, self._square = torch.zeros_like(value), torch.zeros_like(value)
        self._steps = 0

    @torch.no_grad()
    def step(self, gradient: Tensor | None) -> None:
        """Move the value in place; without a gradient it stays."""
        if gradient is None:
            return
        self._steps += 1
        self._mean.lerp_(gradient, 1 - self.BETA_1)
        self._square.mul_(self.BETA_2).addcmul_(gradient, gradient, value=1 - self.BETA_2)
        scale = (1 - self.BETA_2**self._steps) ** 0.5
        rate = REFINE_RATE / (1 - self.BETA_1**self._steps)
        denominator = (self._square.sqrt() / scale).add_(self.EPSILON)
        self._value.addcdiv_(self._mean, denominator, value=-rate)


@torch.no_grad()
def predictive_scores(
    model: TopicModel, latent: Latent, observed: PackedBatch, scored: PackedBatch
) -> SpanScores:
    """log p(scored spans | latent values of the observed words)."""
    urn = observed_urn(observed, scored, model.scorer.vocabulary_size)
    parts = model.parts(latent.zeta, scored, leave_out=False)
    first = model.with_background_and_urn(
        parts.first_word[scored.node[:, 0]], latent.background, scored.document_of_word, urn
    )
    rest = parts.rest(scored, urn, model.own_phrases)
    total = log_partition((first[:, None] + rest).double(), scored.spans)
    return SpanScores(total, first[scored.spans.first_word].double())
