"""Documents that are predicted: observed words tell the topics, the others are scored.

Training looks at its development documents in this way, and so does everybody who evaluates a
finished model.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import IterableDataset

from segtopic.corpus.documents import Documents, IntArray
from segtopic.lattice import segment_posteriors
from segtopic.model.encoder import Posterior
from segtopic.model.inference import encoder_mean, predictive_scores, refine
from segtopic.model.packing import PackedBatch, PackedCorpus
from segtopic.model.topic_model import TopicModel

BATCH = 64


class HeldOutBatch(NamedTuple):
    """The observed and the scored words of the same documents."""

    observed: PackedBatch
    scored: PackedBatch

    def to(self, device: torch.device) -> "HeldOutBatch":
        """The same on another device."""
        return HeldOutBatch(self.observed.to(device), self.scored.to(device))


class HeldOutBatches(IterableDataset[HeldOutBatch]):
    """The observed and scored parts of held-out documents, shared out among processes."""

    def __init__(self, documents: Documents, max_length: int) -> None:
        observed, scored = documents.observed_and_scored()
        self.observed = PackedCorpus(observed, max_length)
        self.scored = PackedCorpus(scored, max_length)
        self.rank, self.world_size = 0, 1

    def __len__(self) -> int:
        own = len(range(self.rank, len(self.observed), self.world_size))
        return -(-own // BATCH)

    def __iter__(self) -> Iterator[HeldOutBatch]:
        for number in range(len(self)):
            chosen = self.documents(number)
            yield HeldOutBatch(self.observed.batch(chosen), self.scored.batch(chosen))

    def documents(self, batch: int) -> IntArray:
        """The numbers of the documents in a batch."""
        own: IntArray = np.arange(self.rank, len(self.observed), self.world_size)
        return own[batch * BATCH : (batch + 1) * BATCH]


class HeldOutScores(NamedTuple):
    """What a model says of a batch, in double precision."""

    mean: Tensor  # (D,) log likelihood of the scored words, topics by the encoder's mean
    refined: Tensor  # (D,) the same with refined topics
    n_words: int  # scored
    continuation: Tensor  # () refined log likelihood of words with a neighbour before them
    n_continuations: int
    posterior: Posterior  # of the observed words
    segments: Tensor  # (L,) expected segments of each length in the observed words


def score_held_out(model: TopicModel, batch: HeldOutBatch, refine_steps: int) -> HeldOutScores:
    """Predict the scored words of a batch."""
    observed, scored = batch
    latent = encoder_mean(model, observed)
    by_mean = predictive_scores(model, latent, observed, scored)
    refined = refine(model, latent, observed, refine_steps)
    by_refined = predictive_scores(model, refined, observed, scored)
    several = scored.spans.lengths > 1
    with torch.no_grad():
        scores = model.scores(refined, observed, observed.earlier)
        return HeldOutScores(
            mean=scored.sum_by_document(by_mean.total),
            refined=scored.sum_by_document(by_refined.total),
            n_words=scored.spans.n_words,
            continuation=(by_refined.total - by_refined.first)[several].sum(),
            n_continuations=scored.spans.n_words - scored.spans.n_spans,
            posterior=model.encoder(observed),
            segments=segment_posteriors(scores, observed.spans).double().sum(0),
        )
