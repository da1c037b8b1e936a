"""What the scores say about the unknown path: posteriors and what follows from them.

Nothing here is differentiable; train with
:func:`~segtopic.lattice.grids.partition.grid_log_partition`. A pair without a path has posteriors
of zero.
"""

import torch
from torch import Tensor

from segtopic.lattice.grids.grid import Grid, check_scores
from segtopic.lattice.grids.partition import posteriors_from
from segtopic.lattice.grids.scan import arcs_of, path_sums


@torch.no_grad()
def grid_posteriors(scores: Tensor, grid: Grid) -> Tensor:
    """``(B, T', T + 1, L + 1)``: the probability that input ``t`` emits that segment (Eq. 6)."""
    arcs = arcs_of(check_scores(scores, grid), grid)
    posteriors = posteriors_from(arcs, path_sums(arcs, grid))
    return posteriors.masked_fill(~grid.is_input()[:, :, None, None], 0).to(scores.dtype)


def expected_lengths(posteriors: Tensor) -> Tensor:
    """``(B, T')``: how many outputs each input is expected to emit."""
    sizes = torch.arange(posteriors.shape[3], device=posteriors.device, dtype=posteriors.dtype)
    return (posteriors.sum(2) * sizes).sum(2)


def mean_segment_length(posteriors: Tensor) -> Tensor:
    """Outputs per segment that is not empty, over the whole batch."""
    counts = posteriors.double().sum((0, 1, 2))[1:]
    sizes = torch.arange(1, len(counts) + 1, device=counts.device)
    return (counts * sizes).sum() / counts.sum()


def emission_probabilities(posteriors: Tensor) -> Tensor:
    """``(B, T', T)``: the probability that input ``t`` emits output ``k``; a picture's shades."""
    n_positions, n_sizes = posteriors.shape[2:]
    emitted = posteriors.new_zeros(*posteriors.shape[:2], n_positions - 1)
    longer = posteriors.flip(3).cumsum(3).flip(3)  # at l: segments of l outputs or more
    for offset in range(min(n_sizes - 1, n_positions - 1)):
        emitted[:, :, offset:] += longer[:, :, : n_positions - 1 - offset, offset + 1]
    return emitted
