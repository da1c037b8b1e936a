"""The log partition of every span, its gradient the segment posteriors (Eq. 6), what they tell.

Train with :func:`log_partition`; nothing else here is differentiable. A span without a valid
segmentation has posteriors of zero.
"""

import math
from typing import Any

import torch
from torch import Tensor

from segtopic.lattice.scan import arcs_by_end, prefix_and_suffix, prefix_scores
from segtopic.lattice.spans import Spans


def check_scores(scores: Tensor, spans: Spans) -> None:
    """Refuse what is not ``(N, L)`` floating-point scores of these spans' words."""
    if scores.dim() != 2 or len(scores) != spans.n_words or scores.shape[1] == 0:
        raise ValueError(
            f"scores must have the shape (words, longest segment) = ({spans.n_words}, L) "
            f"with L >= 1, got {tuple(scores.shape)}"
        )
    if not scores.dtype.is_floating_point:
        raise ValueError(f"scores must be floating-point numbers, got {scores.dtype}")


def log_partition(scores: Tensor, spans: Spans) -> Tensor:
    """Log of the summed scores of all segmentations of each span, ``(S,)``.

    Args:
        scores: ``(N, L)``; ``scores[i, l - 1]`` is the log score of the segment of ``l`` words
            that starts at word ``i``. Minus infinity forbids a segment.
        spans: which words belong together.

    A span without a valid segmentation has minus infinity, and its scores a gradient of zero.
    The gradient is exact and costs no second recursion; it cannot itself be differentiated
    (asking for that is a ``RuntimeError``).
    """
    check_scores(scores, spans)
    result: Tensor = _LogPartition.apply(scores, spans)
    return result


def posteriors_from(scores: Tensor, prefix: Tensor, suffix: Tensor, spans: Spans) -> Tensor:
    """Eq. 6, ``(N, L)``: prefix before the segment, its score, suffix after it, over the total."""
    max_length = scores.shape[1]
    total = prefix[spans.last_word][spans.span_of_word]
    before = prefix.roll(1).masked_fill(spans.position == 0, 0)
    after = suffix.roll(-1).masked_fill(spans.remaining == 1, 0)
    first = torch.arange(len(scores), device=scores.device)[:, None]
    last = first + torch.arange(max_length, device=scores.device)
    outside = (before - total)[:, None] + after[last.clamp(max=len(scores) - 1)]
    impossible = ~spans.fits(max_length) | (total == -math.inf)[:, None]
    return (outside + scores).exp().masked_fill(impossible, 0).to(scores.dtype)


class _LogPartition(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor, spans: Spans) -> Tensor:
        if ctx.needs_input_grad[0]:
            prefix, suffix = prefix_and_suffix(scores, spans)
            ctx.save_for_backward(scores, prefix, suffix)
            ctx.spans = spans
        else:
            prefix = prefix_scores(arcs_by_end(scores.double(), spans), spans)
        return prefix[spans.last_word].to(scores.dtype)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        if torch.is_grad_enabled():
            raise RuntimeError(
                "log_partition cannot be differentiated twice; take its gradient without "
                "create_graph=True"
            )
        scores, prefix, suffix = ctx.saved_tensors
        posteriors = posteriors_from(scores, prefix, suffix, ctx.spans)
        return posteriors * gradient[ctx.spans.span_of_word, None], None


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
