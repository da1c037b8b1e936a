"""Documents that are predicted: observed words tell the topics, the others are scored.

Training looks at its development documents in this way, and so does everybody who evaluates a
finished model. The figures are sums over batches, never means of means; as metrics of torchmetrics
they can add up over processes, too: in training all of them look at a part of the documents; later
one alone looks at all, and must not wait for the others.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import IterableDataset
from torchmetrics import Metric

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
            posterior=model.infer(observed),
            segments=segment_posteriors(scores, observed.spans).double().sum(0),
        )


ACTIVE_VARIANCE = 0.01  # of a dimension's posterior means over documents


class _Sums(Metric):
    """Named sums in double precision."""

    full_state_update = False

    def __init__(self, over_processes: bool, **shapes: tuple[int, ...]) -> None:
        super().__init__(sync_on_compute=over_processes)
        for name, shape in shapes.items():
            zeros = torch.zeros(shape, dtype=torch.float64)
            self.add_state(name, zeros, dist_reduce_fx="sum")

    def add(self, **values: Tensor | float) -> None:
        """Add to the sums."""
        for name, value in values.items():
            state: Tensor = getattr(self, name)
            setattr(self, name, state + torch.as_tensor(value, dtype=state.dtype).to(state.device))


class PredictionFigures(_Sums):
    """How well words are predicted, and how long the segments are."""

    def __init__(self, max_length: int, over_processes: bool = False) -> None:
        super().__init__(
            over_processes,
            mean=(),
            refined=(),
            n_words=(),
            continuation=(),
            n_continuations=(),
            segments=(max_length,),
        )

    def update(self, scores: HeldOutScores) -> None:
        """Add a batch."""
        self.add(
            mean=scores.mean.sum(),
            refined=scores.refined.sum(),
            n_words=scores.n_words,
            continuation=scores.continuation,
            n_continuations=scores.n_continuations,
            segments=scores.segments,
        )

    def compute(self) -> dict[str, Tensor]:
        """Log likelihoods per word, words per segment, and the share of segments with several."""
        state: Any = self
        n_segments = state.segments.sum().clamp(min=1e-9)
        sizes = torch.arange(1, len(state.segments) + 1, device=state.segments.device)
        return {
            "mean": state.mean / state.n_words,
            "refined": state.refined / state.n_words,
            "continuation": state.continuation / state.n_continuations.clamp(min=1),
            "segment_length": (state.segments * sizes).sum() / n_segments,
            "long_segments": state.segments[1:].sum() / n_segments,
        }


class PosteriorFigures(_Sums):
    """How much the encoder tells about documents."""

    def __init__(self, n_topics: int, over_processes: bool = False) -> None:
        sums = {"kl": (), "n_documents": (), "means": (n_topics,), "squares": (n_topics,)}
        super().__init__(over_processes, **sums)
        self.n_topics = n_topics

    def update(self, posterior: Posterior) -> None:
        """Add a batch."""
        means = posterior.mean.double()[:, : self.n_topics]  # not that of the common words
        self.add(
            kl=posterior.kl().sum(),
            n_documents=len(means),
            means=means.sum(0),
            squares=means.square().sum(0),
        )

    def compute(self) -> dict[str, Tensor]:
        """Divergence from the prior in nats per document, and topics whose means vary."""
        state: Any = self
        variance = state.squares / state.n_documents - (state.means / state.n_documents).square()
        return {
            "kl": state.kl / state.n_documents,
            "active_topics": (variance > ACTIVE_VARIANCE).sum().double(),
        }
