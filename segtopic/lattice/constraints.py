"""Boundaries that must or must not be: masks that turn the unwanted segments to minus infinity.

Every other function of this folder is then exact under the constraint: totals, posteriors, the
best segmentation, samples. Constraints that contradict each other (or words joined to more than
``L``) leave a span without a valid segmentation: a total of minus infinity, gradients of zero.
"""

import math

import torch
from torch import Tensor

from segtopic.lattice.partition import check_scores
from segtopic.lattice.spans import Spans


def constrain(
    scores: Tensor, spans: Spans, *, forced: Tensor | None = None, forbidden: Tensor | None = None
) -> Tensor:
    """The scores with every segment that breaks a constraint at minus infinity, differentiable.

    Args:
        scores: ``(N, L)``.
        spans: which words belong together.
        forced: ``(N,)`` true where a segment must end after the word (never join it to the next).
        forbidden: ``(N,)`` true where no segment may end after the word (always join it to the
            next). The end of a span ends a segment in any case, so there it makes the span
            impossible.
    """
    check_scores(scores, spans)
    for name, mask in (("forced", forced), ("forbidden", forbidden)):
        if mask is not None and (mask.shape != (spans.n_words,) or mask.dtype != torch.bool):
            raise ValueError(
                f"{name} must be a boolean vector over the {spans.n_words} words, "
                f"got {mask.dtype} of shape {tuple(mask.shape)}"
            )
    first = torch.arange(spans.n_words, device=scores.device)[:, None]
    last = first + torch.arange(scores.shape[1], device=scores.device)
    last = last.clamp(max=max(spans.n_words - 1, 0))
    broken = torch.zeros_like(scores, dtype=torch.bool)
    if forced is not None:
        before = forced.long().cumsum(0) - forced.long()
        broken |= before[last] > before[first]  # one of the words first..last-1 must end a segment
    if forbidden is not None:
        broken |= forbidden[last]
    return scores.masked_fill(broken, -math.inf)
