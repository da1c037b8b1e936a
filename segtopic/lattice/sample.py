"""Exact samples from the posterior over segmentations."""

import math

import torch
from torch import Tensor

from segtopic.lattice.partition import check_scores
from segtopic.lattice.scan import arcs_by_end, prefix_scores
from segtopic.lattice.segmentation import trace_back
from segtopic.lattice.spans import Spans


@torch.no_grad()
def sample_segmentations(
    scores: Tensor,
    spans: Spans,
    n_samples: int,
    generator: torch.Generator | None = None,
    uniform: Tensor | None = None,
) -> Tensor:
    """``(n_samples, N)``: independent segmentations ``ends``, each drawn with its probability.

    The random numbers, ``(n_samples, N)`` between 0 and 1, may be given as ``uniform``.

    Given that a segment ends after word ``i``, the length of that segment does not depend on what
    follows. So a length is drawn for every word at once, and the draws that lie on the path from
    the span's end to its start make the sample. Spans without a valid segmentation have no ends.
    """
    check_scores(scores, spans)
    max_length = scores.shape[1]
    arcs = arcs_by_end(scores.double(), spans)
    prefix = prefix_scores(arcs, spans)
    conditional = torch.empty_like(arcs)  # (L, N): of the last segment's length, given its end
    for back in range(max_length):
        before = torch.nn.functional.pad(prefix, (back + 1, 0))[: spans.n_words]
        before = before.masked_fill(spans.position == back, 0)
        conditional[back] = arcs[back] + before
    conditional = (conditional - prefix).exp()
    reachable = prefix > -math.inf
    conditional[:, ~reachable] = 1.0  # never on a valid path, but a draw needs a distribution
    if uniform is None:
        shape = (n_samples, spans.n_words)
        uniform = torch.rand(shape, dtype=arcs.dtype, device=arcs.device, generator=generator)
    up_to = conditional.cumsum(0)  # (L, N); its last row is one, but for rounding
    lengths = 1 + (uniform[:, None] * up_to[-1] >= up_to).sum(1)
    paths = torch.arange(n_samples, device=scores.device)
    ends = trace_back(lengths, paths[:, None].expand(n_samples, spans.n_words), spans)
    return ends & reachable[spans.last_word][spans.span_of_word]
