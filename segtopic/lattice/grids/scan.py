"""The recursions of the paper's Eq. 4 and 5 over all inputs, for all pairs and positions at once.

``before[t, b, j]`` is the log of the summed scores of all paths from ``(0, 0)`` to ``(t, j)``,
``after[t, b, j]`` that of all paths from ``(t, j)`` to the pair's end::

    before[t + 1, j] = logsumexp over l of  before[t, j - l] + scores[t, j - l, l]
    after[t, j]      = logsumexp over l of  scores[t, j, l] + after[t + 1, j + l]

All pairs and positions take a step together: the sums of neighbouring positions are a window over
one row, so a step is one product and one sum. An input in the padding emits the empty segment for
certain, so all pairs end at the same step.

Where no path's product can leave the range of a double, plain sums and products replace
``logsumexp``; the largest score of each input is taken out first. Where that is not sure, the
logarithms are kept. Everything is in float64: a path's score grows with the inputs, and a
posterior is the exponential of a difference of two of them.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from segtopic.lattice.grids.grid import Grid
from segtopic.lattice.scan import LOG, REAL, SAFE_EXPONENT, Algebra


class PathSums(NamedTuple):
    """See the module's docstring; both ``(T' + 1, B, T + 1)`` in float64."""

    before: Tensor
    after: Tensor

    def totals(self) -> Tensor:
        """``(B,)``: the log of the summed scores of all whole paths."""
        return self.after[0, :, 0]


def arcs_of(scores: Tensor, grid: Grid) -> Tensor:
    """``(T', B, L + 1, T + 1)`` in float64: the scores by the node where the segment *starts*.

    What leaves the grid is minus infinity; the padding's empty segments are free.
    """
    max_length = scores.shape[3] - 1
    arcs = scores.detach().double().masked_fill(~grid.fits(max_length), -math.inf)
    arcs[..., 0].masked_fill_(~grid.is_input()[:, :, None], 0.0)
    return arcs.permute(1, 0, 3, 2).contiguous()


def by_end(arcs: Tensor, zero: float = -math.inf) -> Tensor:
    """The same scores by the node where the segment *ends*; ``zero`` where none can."""
    ends = torch.full_like(arcs, zero)
    n_positions = arcs.shape[3]
    for length in range(min(arcs.shape[2], n_positions)):
        ends[:, :, length, length:] = arcs[:, :, length, : n_positions - length]
    return ends


def windows(values: Tensor, max_length: int) -> Tensor:
    """``(..., T + 1)`` to ``(..., L + 1, T + 1)``: at ``[l, j]`` the value at ``j + l``."""
    return F.pad(values, (0, max_length), value=-math.inf).unfold(-1, values.shape[-1], 1)


def path_sums(arcs: Tensor, grid: Grid) -> PathSums:
    """Both sums, from :func:`arcs_of`."""
    top = arcs.amax((2, 3)) if arcs.numel() else arcs.new_zeros(arcs.shape[:2])  # (T', B)
    top = top.masked_fill(top == -math.inf, 0)
    relative = arcs - top[:, :, None, None]
    if _lowest(relative) < -SAFE_EXPONENT:
        return _both(arcs, grid, LOG)
    before, after = _both(relative.exp_(), grid, REAL)
    taken = F.pad(top.cumsum(0), (0, 0, 1, 0))[:, :, None]  # (T' + 1, B, 1): before each input
    return PathSums(before + taken, after + (taken[-1] - taken))


def _lowest(relative: Tensor) -> float:
    """At least so low is the score of a path that is possible, over the top of each input."""
    if not relative.numel():
        return 0.0
    possible = relative.masked_fill(relative == -math.inf, 0)
    return float(possible.amin((2, 3)).sum(0).min())


def _both(arcs: Tensor, grid: Grid, algebra: Algebra) -> PathSums:
    return PathSums(algebra.log(_before(arcs, algebra)), algebra.log(_after(arcs, grid, algebra)))


def _before(arcs: Tensor, algebra: Algebra) -> Tensor:
    n_inputs, n_pairs, n_sizes, n_positions = arcs.shape
    # L places stand before the first position, where no path begins.
    sums = arcs.new_full((n_inputs + 1, n_pairs, n_sizes - 1 + n_positions), algebra.zero)
    inside = sums[:, :, n_sizes - 1 :]
    inside[0, :, 0] = algebra.one
    seen = sums.unfold(2, n_positions, 1)  # (T' + 1, B, L + 1, T + 1), longest segments first
    ending = by_end(arcs, algebra.zero).flip(2)
    for step in range(n_inputs):
        joined = algebra.times(seen[step], ending[step])
        algebra.plus(joined.transpose(0, 1), inside[step + 1])
    return inside


def _after(arcs: Tensor, grid: Grid, algebra: Algebra) -> Tensor:
    n_inputs, n_pairs, n_sizes, n_positions = arcs.shape
    sums = arcs.new_full((n_inputs + 1, n_pairs, n_positions + n_sizes - 1), algebra.zero)
    inside = sums[:, :, :n_positions]
    inside[-1].scatter_(1, grid.outputs[:, None], algebra.one)
    seen = sums.unfold(2, n_positions, 1)  # (T' + 1, B, L + 1, T + 1)
    for step in reversed(range(n_inputs)):
        joined = algebra.times(seen[step + 1], arcs[step])
        algebra.plus(joined.transpose(0, 1), inside[step])
    return inside
