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
from segtopic.model.inference import predictive_scores, refine
from segtopic.model.packing import BATCH, PackedBatch, pack
from segtopic.model.topic_model import Latent, TopicModel


class HeldOutBatch(NamedTuple):
    """The observed and the scored words of the same documents."""

    observed: PackedBatch
    scored: PackedBatch

    def to(self, device: torch.device) -> "HeldOutBatch":
        """The same on another device."""
        return HeldOutBatch(self.observed.to(device), self.scored.to(device))


class HeldOutBatches(IterableDataset[HeldOutBatch]):
    """The observed and scored parts of held-out documents, shared out among processes."""

    def __init__(self, observed: Documents, scored: Documents, max_length: int) -> None:
        self.observed, self.scored = observed, scored
        self.max_length = max_length
        self.rank, self.world_size = 0, 1

    def __len__(self) -> int:
        own = len(range(self.rank, self.observed.n_documents, self.world_size))
        return -(-own // BATCH)

    def __iter__(self) -> Iterator[HeldOutBatch]:
        for number in range(len(self)):
            chosen = self.documents(number)
            parts = (self.observed.select(chosen), self.scored.select(chosen))
            yield HeldOutBatch(*(pack(part, self.max_length) for part in parts))

    def documents(self, batch: int) -> IntArray:
        """The numbers of the documents in a batch."""
        own: IntArray = np.arange(self.rank, self.observed.n_documents, self.world_size)
        return own[batch * BATCH : (batch + 1) * BATCH]


class HeldOutScores(NamedTuple):
    """What a model says of a batch, in double precision."""

    mean: Tensor  # (D,) log likelihood of the scored words, topics by the encoder's mean
    refined: Tensor | None  # (D,) the same with refined topics, if they are refined
    n_words: int  # scored
    continuation: Tensor  # () log likelihood of words with a neighbour before them; best topics
    n_continuations: int
    posterior: Posterior  # of the observed words
    segments: Tensor  # (L,) expected segments of each length in the observed words

    @property
    def best(self) -> Tensor:
        """``(D,)`` with refined topics if they are refined, else with the encoder's mean."""
        return self.mean if self.refined is None else self.refined


@torch.no_grad()
def score_held_out(model: TopicModel, batch: HeldOutBatch, refine_steps: int) -> HeldOutScores:
    """Predict the scored words of a batch."""
    observed, scored = batch
    posterior = model.infer(observed)
    latent = Latent(posterior.mean, posterior.background)
    found = predictive_scores(model, latent, observed, scored)
    by_mean, by_refined = scored.sum_by_document(found.total), None
    if refine_steps > 0:
        latent = refine(model, latent, observed, refine_steps)
        found = predictive_scores(model, latent, observed, scored)
        by_refined = scored.sum_by_document(found.total)
    several = scored.spans.lengths > 1
    scores = model.scores(latent, observed, observed.earlier)
    return HeldOutScores(
        mean=by_mean,
        refined=by_refined,
        n_words=scored.spans.n_words,
        continuation=(found.total - found.first)[several].sum(),
        n_continuations=scored.spans.n_words - scored.spans.n_spans,
        posterior=posterior,
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

    def __init__(self, max_length: int, refined: bool, over_processes: bool = False) -> None:
        sums = ("mean", "refined", "n_words", "continuation", "n_continuations")
        shapes = dict.fromkeys(sums, ())
        super().__init__(over_processes, segments=(max_length,), **shapes)
        self.topics_by = ("mean", "refined") if refined else ("mean",)

    def update(self, scores: HeldOutScores) -> None:
        """Add a batch."""
        self.add(
            mean=scores.mean.sum(),
            refined=0 if scores.refined is None else scores.refined.sum(),
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
            **{name: getattr(state, name) / state.n_words for name in self.topics_by},
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
