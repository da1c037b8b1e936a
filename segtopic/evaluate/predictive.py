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

from segtopic.corpus.documents import Documents, IntArray, document_generator
from segtopic.evaluate.bootstrap import bootstrap_interval
from segtopic.evaluate.heldout import DocumentScores, HeldOut
from segtopic.model import packed_batches
from segtopic.model.heldout import (
    HeldOutBatches,
    PosteriorFigures,
    PredictionFigures,
    score_held_out,
)
from segtopic.model.inference import encoder_mean, predictive_scores, refine
from segtopic.model.topic_model import Latent, TopicModel

Progress = Callable[[str, int], None]
BOUNDED_WORDS = 1 << 18  # of the documents that bounds are about; each is scored many times


@dataclass(frozen=True)
class Evaluation:
    """What a model does on held-out documents.

    Attributes:
        mean: Predictive scores with the encoder's mean.
        refined: Predictive scores with refined topics, if they are refined.
        continuation: Log likelihood per word with a neighbour before it in its span, by the topics
            of :attr:`best`.
        elbo: Evidence lower bound per word of whole documents.
        multi_sample: The same with many samples together; closer to the truth.
        n_samples: How many.
        n_bounded: Documents that both bounds, the divergence and the active topics are about: all,
            or of very many some, evenly spread.
        kl: Divergence of the encoder from the prior, in nats per document.
        active_topics: Dimensions whose posterior means vary between documents.
        n_topics: How many there are.
        segment_length: Expected words per segment.
        long_segments: Expected share of segments with several words.
    """

    mean: DocumentScores
    refined: DocumentScores | None
    continuation: float
    elbo: float
    multi_sample: float
    n_samples: int
    n_bounded: int
    kl: float
    active_topics: int
    n_topics: int
    segment_length: float
    long_segments: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the scores as mean and 95 % bootstrap interval over documents.

        ``predictive`` are those of :attr:`best`, which ``topics_by`` names.
        """
        scores = {"mean": self.mean, "refined": self.refined}
        figures = {name: value for name, value in vars(self).items() if name not in scores}
        for name, found in scores.items():
            if found is not None:
                interval = bootstrap_interval(found)
                figures[f"predictive_{name}"] = interval.mean
                figures[f"predictive_{name}_interval"] = [interval.low, interval.high]
                figures["predictive"], figures["topics_by"] = interval.mean, name
        figures["documents"] = len(self.mean.words)
        figures["scored_words"] = int(self.mean.words.sum())
        return figures

    @property
    def best(self) -> DocumentScores:
        """By refined topics if they are refined, else by the encoder's mean."""
        return self.mean if self.refined is None else self.refined


def evaluate_model(
    model: TopicModel,
    documents: Documents,
    refine_steps: int,
    n_samples: int = 20,
    seed: int = 0,
    progress: Progress = lambda stage, documents: None,
) -> Evaluation:
    """Score held-out documents; with 0 steps by the encoder's mean alone."""
    model.eval()
    by_mean: list[Tensor] = []
    by_refined: list[Tensor] = []
    held_out, max_length = HeldOut.of(documents), model.scorer.max_length
    figures = PredictionFigures(max_length, refined=refine_steps > 0)
    for batch in HeldOutBatches(held_out.observed, held_out.scored, max_length):
        scores = score_held_out(model, batch, refine_steps)
        figures.update(scores)
        by_mean.append(scores.mean)
        by_refined += [scores.refined] if scores.refined is not None else []
        progress("predicting", sum(map(len, by_mean)))
    words = held_out.scored.words_per_document
    predicted = figures.compute()
    return Evaluation(
        mean=DocumentScores(torch.cat(by_mean).numpy(), words),
        refined=DocumentScores(torch.cat(by_refined).numpy(), words) if by_refined else None,
        continuation=float(predicted["continuation"]),
        segment_length=float(predicted["segment_length"]),
        long_segments=float(predicted["long_segments"]),
        **_bounds(
            model,
            documents.select(documents.evenly_spread(BOUNDED_WORDS)),
            n_samples,
            seed,
            progress,
        ),
    )


def predictive_log_likelihood(
    model: TopicModel,
    documents: Documents,
    refine_steps: int,
    progress: Progress = lambda stage, documents: None,
) -> DocumentScores:
    """The predictive scores alone, without the rest of an evaluation.

    By refined topics, or with 0 steps by the encoder's mean.
    """
    model.eval()
    likelihood: list[Tensor] = []
    held_out, max_length = HeldOut.of(documents), model.scorer.max_length
    for observed, scored in HeldOutBatches(held_out.observed, held_out.scored, max_length):
        latent = refine(model, encoder_mean(model, observed), observed, refine_steps)
        total = predictive_scores(model, latent, observed, scored).total
        likelihood.append(scored.sum_by_document(total))
        progress("predicting", sum(map(len, likelihood)))
    words = held_out.scored.words_per_document
    return DocumentScores(torch.cat(likelihood).numpy(), words)


@torch.no_grad()
def _bounds(
    model: TopicModel, documents: Documents, n_samples: int, seed: int, progress: Progress
) -> dict[str, Any]:
    """Bounds on log p(document), from samples of the encoder's posterior."""
    elbo = multi_sample = 0.0
    figures = PosteriorFigures(model.n_topics)
    n_done = 0
    for batch in packed_batches(documents, model.scorer.max_length):
        numbers = np.arange(n_done, n_done + batch.n_documents)
        posterior = model.infer(batch)
        figures.update(posterior)
        weights = []
        for deviation in _noise(documents, numbers, n_samples, model.n_hidden, seed):
            zeta = posterior.moved(deviation.to(posterior.mean.dtype))
            latent = Latent(zeta, posterior.background)
            likelihood = model.log_likelihood(latent, batch, batch.earlier)
            likelihood = likelihood - model.background_penalty(posterior.background)
            log_prior = -0.5 * zeta.square().sum(1)
            log_q = -0.5 * (deviation.square() + posterior.log_variance).sum(1)
            weights.append((likelihood + log_prior - log_q).double())
        stacked = torch.stack(weights)  # (samples, D); the constants of both Gaussians cancel
        elbo += float(stacked.mean(0).sum())
        multi_sample += float((stacked.logsumexp(0) - math.log(n_samples)).sum())
        n_done += batch.n_documents
        progress("bounding", n_done)
    n_words = max(documents.n_words, 1)
    told = figures.compute()
    return {
        "elbo": elbo / n_words,
        "multi_sample": multi_sample / n_words,
        "n_samples": n_samples,
        "n_bounded": n_done,
        "kl": float(told["kl"]),
        "active_topics": int(told["active_topics"]),
        "n_topics": model.n_topics,
    }


def _noise(
    documents: Documents, numbers: IntArray, n_samples: int, n_hidden: int, seed: int
) -> Tensor:
    """``(n_samples, D, Z)`` standard normal numbers that follow the words of each document."""
    offsets, words = documents.word_offsets, documents.words.astype("<i4")
    drawn = [
        document_generator(seed, words[offsets[n] : offsets[n + 1]].tobytes()).standard_normal(
            (n_samples, n_hidden)
        )
        for n in numbers
    ]
    return torch.from_numpy(np.stack(drawn, axis=1))
