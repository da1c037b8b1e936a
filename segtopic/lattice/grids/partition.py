"""The log likelihood of every pair, with the segment posteriors as its gradient (Eq. 6).

Train with :func:`grid_log_partition`; nothing else here is differentiable. A pair without a path
has posteriors of zero.
"""

import math
from typing import Any

import torch
from torch import Tensor

from segtopic.lattice.grids.grid import Grid, check_scores
from segtopic.lattice.grids.scan import PathSums, arcs_of, path_sums, windows


def grid_log_partition(scores: Tensor, grid: Grid) -> Tensor:
    """Log of the summed scores of all paths through each grid, ``(B,)``.

    Args:
        scores: ``(B, T', T + 1, L + 1)``; ``scores[b, t, j, l]`` is the log score of input ``t``
            emitting the ``l`` outputs after the first ``j``. Minus infinity forbids it. What lies
            beyond a pair's lengths is ignored, whatever it holds.
        grid: inputs and outputs of each pair.

    A pair without a path, as one with ``T > L T'``, has minus infinity, and its scores a gradient
    of zero. The gradient is exact and costs no second recursion; it cannot itself be
    differentiated (asking for that is a ``RuntimeError``).
    """
    result: Tensor = _GridLogPartition.apply(check_scores(scores, grid), grid)
    return result


def posteriors_from(arcs: Tensor, sums: PathSums) -> Tensor:
    """Eq. 6, ``(B, T', T + 1, L + 1)``: paths before, score, paths after, over the total.

    Input in the padding emits nothing, so its posteriors are zero: they must be masked out.
    """
    max_length = arcs.shape[2] - 1
    total = sums.totals()
    possible = total > -math.inf
    outside = sums.before[:-1] - total.masked_fill(~possible, 0)[:, None]  # (T', B, T + 1)
    inside = arcs + windows(sums.after[1:], max_length)
    weights = inside.add_(outside[:, :, None]).exp_()
    return weights.mul_(possible[:, None, None]).permute(1, 0, 3, 2)


class _GridLogPartition(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor, grid: Grid) -> Tensor:
        arcs = arcs_of(scores, grid)
        sums = path_sums(arcs, grid)
        if ctx.needs_input_grad[0]:
            ctx.save_for_backward(arcs, *sums)
            ctx.grid, ctx.dtype = grid, scores.dtype
        return sums.totals().to(scores.dtype)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        if torch.is_grad_enabled():
            raise RuntimeError(
                "grid_log_partition cannot be differentiated twice; take its gradient without "
                "create_graph=True"
            )
        arcs, *sums = ctx.saved_tensors
        posteriors = posteriors_from(arcs, PathSums(*sums))
        # No score of the padding counts, not even where the gradient that arrives is infinite.
        inside = ctx.grid.is_input()[:, :, None, None]
        weighted = posteriors * gradient.double()[:, None, None, None]
        return weighted.masked_fill(~inside | (posteriors == 0), 0).to(ctx.dtype), None


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
