"""What the scores say about the unknown segmentation: posteriors and what follows from them.

Nothing here is differentiable; train with :func:`~segtopic.lattice.partition.log_partition`.
A span without a valid segmentation has posteriors of zero.
"""

import math

import torch
from torch import Tensor

from segtopic.lattice.partition import check_scores, posteriors_from
from segtopic.lattice.scan import prefix_and_suffix
from segtopic.lattice.spans import Spans


@torch.no_grad()
def segment_posteriors(scores: Tensor, spans: Spans) -> Tensor:
    """``(N, L)``: the probability that ``l`` words from word ``i`` on are one segment (Eq. 6)."""
    check_scores(scores, spans)
    return posteriors_from(scores, *prefix_and_suffix(scores, spans), spans)


def boundary_probabilities(posteriors: Tensor, spans: Spans) -> Tensor:
    """``(N,)``: the probability that a segment ends after each word; one after a span's last."""
    boundaries = posteriors.new_zeros(spans.n_words)
    for length, ending in enumerate(posteriors.unbind(1), start=1):
        boundaries[length - 1 :] += ending[: max(spans.n_words - length + 1, 0)]
    return boundaries


def expected_segments(posteriors: Tensor, spans: Spans) -> Tensor:
    """``(S, L)``: the expected number of segments of each length in each span."""
    return spans.sum(posteriors)


def expected_segment_length(posteriors: Tensor) -> Tensor:
    """Words per segment over the whole batch: expected words over expected segments."""
    counts = posteriors.double().sum(0)
    lengths = torch.arange(1, len(counts) + 1, device=counts.device)
    return (counts * lengths).sum() / counts.sum()


@torch.no_grad()
def segmentation_entropy(scores: Tensor, spans: Spans) -> Tensor:
    """``(S,)``: entropy of the posterior over segmentations in nats; 0 where none is valid."""
    check_scores(scores, spans)
    scores = scores.double()
    prefix, suffix = prefix_and_suffix(scores, spans)
    posteriors = posteriors_from(scores, prefix, suffix, spans)
    # H = log Z - E[score of the segmentation], and the expectation is linear in the posteriors.
    expected_score = spans.sum((posteriors * scores.masked_fill(posteriors == 0, 0)).sum(1))
    total = prefix[spans.last_word]
    return (total - expected_score).masked_fill(total == -math.inf, 0).clamp(min=0)
