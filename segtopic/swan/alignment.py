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
        posteriors: of each link of the best path, among all paths: that the input emits exactly
            these outputs.
    """

    lengths: tuple[int, ...]
    log_probability: float
    log_likelihood: float
    emission: Tensor
    posteriors: tuple[float, ...]


@torch.no_grad()
def alignments(scores: Tensor, grid: Grid) -> list[Alignment]:
    """The alignment of each pair, from the segment scores on its grid."""
    best, posteriors = best_path(scores, grid), grid_posteriors(scores, grid)
    columns = (
        best.lengths,
        best.scores,
        grid_log_partition(scores, grid),
        _of_links(posteriors, best.lengths),
        grid.inputs,
        grid.outputs,
    )
    return [
        Alignment(
            tuple(lengths[:n_inputs]) if score > -math.inf else (),
            score,
            total,
            shades[:n_inputs, :n_outputs],
            tuple(links[:n_inputs]) if score > -math.inf else (),
        )
        for shades, lengths, score, total, links, n_inputs, n_outputs in zip(
            emission_probabilities(posteriors),
            *(column.tolist() for column in columns),
            strict=True,
        )
    ]


def _of_links(posteriors: Tensor, lengths: Tensor) -> Tensor:
    """``(B, T')``: the posterior of what each input emits on a path."""
    start = lengths.cumsum(1) - lengths
    pairs = torch.arange(len(lengths), device=lengths.device)[:, None]
    inputs = torch.arange(lengths.shape[1], device=lengths.device)
    return posteriors[pairs, inputs, start, lengths]
