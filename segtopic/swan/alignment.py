"""Forced alignment: which input emits which outputs, when both are known."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from segtopic.lattice.grids import (
    Grid,
    best_path,
    emission_probabilities,
    grid_log_partition,
    grid_posteriors,
)


class Alignment(NamedTuple):
    """The best path of a pair, and what all its paths say.

    Attributes:
        lengths: how many outputs each input emits on the best path; empty if there is no path.
        log_probability: of the best path.
        log_likelihood: of the outputs, over all paths.
        emission: ``(T', T)`` the posterior probability that input ``t`` emits output ``k``.
    """

    lengths: tuple[int, ...]
    log_probability: float
    log_likelihood: float
    emission: Tensor


@torch.no_grad()
def alignments(scores: Tensor, grid: Grid) -> list[Alignment]:
    """The alignment of each pair, from the segment scores on its grid."""
    best = best_path(scores, grid)
    emission = emission_probabilities(grid_posteriors(scores, grid))
    columns = (
        best.lengths,
        best.scores,
        grid_log_partition(scores, grid),
        grid.inputs,
        grid.outputs,
    )
    return [
        Alignment(
            tuple(lengths[:n_inputs]) if score > -math.inf else (),
            score,
            total,
            shades[:n_inputs, :n_outputs],
        )
        for shades, lengths, score, total, n_inputs, n_outputs in zip(
            emission, *(column.tolist() for column in columns), strict=True
        )
    ]
