"""The log likelihood of every pair, with the segment posteriors as its gradient (Eq. 6)."""

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
