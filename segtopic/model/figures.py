"""Figures that training watches and evaluation reports: sums over batches, never means of means.

As metrics of torchmetrics they can add up over processes, too: in training all of them look at a
part of the documents; later one alone looks at all, and must not wait for the others.
"""

from typing import Any

import torch
from torch import Tensor
from torchmetrics import Metric

from segtopic.model.encoder import Posterior
from segtopic.model.heldout import HeldOutScores

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

    def update(self, posterior: Posterior) -> None:
        """Add a batch."""
        means = posterior.mean.double()
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
