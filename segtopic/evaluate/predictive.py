"""How well a trained model predicts documents it has not seen: a run in, figures out.

The predictive log likelihood: topics from the first 75 % of a document's words, by the encoder's
mean or refined; the rest is scored. The bounds: how probable whole documents are, the topics
integrated out by the encoder's samples (one at a time, or many together, which is tighter).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import Documents
from segtopic.evaluate.bootstrap import bootstrap_interval
from segtopic.evaluate.heldout import DocumentScores, HeldOut
from segtopic.lattice import segment_posteriors
from segtopic.model import PackedCorpus
from segtopic.model.inference import encoder_mean, predictive_scores, refine
from segtopic.model.topics import Latent, TopicModel, Urn
from segtopic.training.data import HeldOutBatches
from segtopic.training.system import ACTIVE_VARIANCE

BATCH = 64
Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class Evaluation:
    """What a model does on held-out documents.

    Attributes:
        mean: Predictive scores with the encoder's mean.
        refined: Predictive scores with refined topics.
        continuation: Refined log likelihood per word with a neighbour before it in its span.
        elbo: Evidence lower bound per word of whole documents.
        multi_sample: The same with many samples together; closer to the truth.
        n_samples: How many.
        kl: Divergence of the encoder from the prior, in nats per document.
        active_topics: Dimensions whose posterior means vary between documents.
        n_topics: How many there are.
        segment_length: Expected words per segment.
        long_segments: Expected share of segments with several words.
    """

    mean: DocumentScores
    refined: DocumentScores
    continuation: float
    elbo: float
    multi_sample: float
    n_samples: int
    kl: float
    active_topics: int
    n_topics: int
    segment_length: float
    long_segments: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the scores as mean and 95 % bootstrap interval over documents."""
        figures = {name: value for name, value in vars(self).items() if name not in _SCORES}
        for name in _SCORES:
            interval = bootstrap_interval(getattr(self, name))
            figures[f"predictive_{name}"] = interval.mean
            figures[f"predictive_{name}_interval"] = [interval.low, interval.high]
        figures["documents"] = len(self.refined.words)
        figures["scored_words"] = int(self.refined.words.sum())
        return figures


_SCORES = ("mean", "refined")


def evaluate_model(
    model: TopicModel,
    documents: Documents,
    refine_steps: int,
    n_samples: int = 20,
    seed: int = 0,
    progress: Progress = lambda stage, documents: None,
) -> Evaluation:
    """Score held-out documents."""
    model.eval()
    held_out = HeldOut.of(documents)
    by_mean, by_refined, first_words = [], [], 0.0
    segments = torch.zeros(model.scorer.max_length, dtype=torch.float64)
    for observed, scored in HeldOutBatches(documents, model.scorer.max_length):
        latent = encoder_mean(model, observed)
        mean_scores = predictive_scores(model, latent, observed, scored)
        by_mean.append(scored.sum_by_document(mean_scores.total))
        refined = refine(model, latent, observed, refine_steps)
        scores = predictive_scores(model, refined, observed, scored)
        by_refined.append(scored.sum_by_document(scores.total))
        several = scored.spans.lengths > 1
        first_words += float((scores.total - scores.first)[several].sum())
        with torch.no_grad():
            urn = Urn(observed.seen, observed.position)
            posteriors = segment_posteriors(model.scores(refined, observed, urn), observed.spans)
        segments += posteriors.double().sum(0)
        progress("predicting", sum(map(len, by_mean)))
    n_continuations = held_out.scored.n_words - held_out.scored.n_spans
    bounds = _bounds(model, documents, n_samples, seed, progress)
    sizes = torch.arange(1, len(segments) + 1)
    n_segments = max(float(segments.sum()), 1e-9)
    words = held_out.scored.words_per_document
    return Evaluation(
        mean=DocumentScores(torch.cat(by_mean).numpy(), words),
        refined=DocumentScores(torch.cat(by_refined).numpy(), words),
        continuation=first_words / max(n_continuations, 1),
        segment_length=float((segments * sizes).sum()) / n_segments,
        long_segments=float(segments[1:].sum()) / n_segments,
        **bounds,
    )


def predictive_log_likelihood(
    model: TopicModel,
    documents: Documents,
    refine_steps: int,
    progress: Progress = lambda stage, documents: None,
) -> DocumentScores:
    """The refined predictive scores alone, without the rest of an evaluation."""
    model.eval()
    likelihood: list[Tensor] = []
    for observed, scored in HeldOutBatches(documents, model.scorer.max_length):
        latent = refine(model, encoder_mean(model, observed), observed, refine_steps)
        total = predictive_scores(model, latent, observed, scored).total
        likelihood.append(scored.sum_by_document(total))
        progress("predicting", sum(map(len, likelihood)))
    words = HeldOut.of(documents).scored.words_per_document
    return DocumentScores(torch.cat(likelihood).numpy(), words)


@torch.no_grad()
def _bounds(
    model: TopicModel, documents: Documents, n_samples: int, seed: int, progress: Progress
) -> dict[str, Any]:
    """Bounds on log p(document), from samples of the encoder's posterior."""
    packed = PackedCorpus(documents, model.scorer.max_length)
    torch.manual_seed(seed)
    elbo = multi_sample = divergence = 0.0
    means = []
    for begin in range(0, len(packed), BATCH):
        batch = packed.batch(np.arange(begin, min(begin + BATCH, len(packed))))
        posterior = model.encoder(batch)
        urn = Urn(batch.seen, batch.position)
        weights = []
        for _ in range(n_samples):
            zeta = posterior.sample()
            likelihood = model.log_likelihood(Latent(zeta, posterior.background), batch, urn)
            likelihood = likelihood - model.background_penalty(posterior.background)
            deviation = (zeta - posterior.mean) / (0.5 * posterior.log_variance).exp()
            log_prior = -0.5 * zeta.square().sum(1)
            log_q = -0.5 * (deviation.square() + posterior.log_variance).sum(1)
            weights.append((likelihood + log_prior - log_q).double())
        stacked = torch.stack(weights)  # (samples, D); the constants of both Gaussians cancel
        elbo += float(stacked.mean(0).sum())
        multi_sample += float((stacked.logsumexp(0) - math.log(n_samples)).sum())
        divergence += float(posterior.kl().sum())
        means.append(posterior.mean)
        progress("bounding", begin + batch.n_documents)
    n_words = max(documents.n_words, 1)
    variance = torch.cat(means).var(0, unbiased=False)
    return {
        "elbo": elbo / n_words,
        "multi_sample": multi_sample / n_words,
        "n_samples": n_samples,
        "kl": divergence / max(documents.n_documents, 1),
        "active_topics": int((variance > ACTIVE_VARIANCE).sum()),
        "n_topics": model.n_topics,
    }
