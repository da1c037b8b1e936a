"""Single paths: the best one, samples, and the score of a given one.

A path is written as ``lengths``, ``(B, T')``: how many outputs each input emits. The padding
emits none.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from segtopic.lattice.grids.grid import Grid, check_scores
from segtopic.lattice.grids.scan import arcs_of, by_end, path_sums


class BestPath(NamedTuple):
    """A path of each pair and its log score: minus infinity, and no outputs, where none is."""

    scores: Tensor  # (B,)
    lengths: Tensor  # (B, T')


@torch.no_grad()
def best_path(scores: Tensor, grid: Grid) -> BestPath:
    """The path with the highest score: the sum of Eq. 4 replaced by a maximum."""
    arcs = by_end(arcs_of(check_scores(scores, grid), grid))
    n_inputs, n_pairs, n_sizes, n_positions = arcs.shape
    best = arcs.new_full((n_pairs, n_sizes - 1 + n_positions), -math.inf)
    best[:, n_sizes - 1] = 0
    choices = torch.empty(n_inputs, n_pairs, n_positions, dtype=torch.long, device=arcs.device)
    for step, arc in enumerate(arcs):
        # The window shows the longest segment's beginning first.
        reached = best.unfold(1, n_positions, 1).flip(1) + arc
        best[:, n_sizes - 1 :], choices[step] = reached.max(1)
    totals = best[:, n_sizes - 1 :].gather(1, grid.outputs[:, None]).squeeze(1)
    position = grid.outputs.clone()
    pairs = torch.arange(n_pairs, device=arcs.device)
    lengths = torch.zeros(n_pairs, n_inputs, dtype=torch.long, device=arcs.device)
    for step in reversed(range(n_inputs)):
        lengths[:, step] = choices[step, pairs, position]
        position = position - lengths[:, step]
        position = position.clamp(min=0)  # only where there is no path
    lengths = lengths.masked_fill((totals == -math.inf)[:, None], 0)
    return BestPath(totals.to(scores.dtype), lengths)


@torch.no_grad()
def sample_paths(
    scores: Tensor, grid: Grid, n_samples: int, generator: torch.Generator | None = None
) -> Tensor:
    """``(n_samples, B, T')``: independent paths, each drawn with its posterior probability.

    Drawn from the last input to the first: given where a segment ends, what came before it does
    not depend on what follows. Pairs without a path emit nothing.
    """
    arcs = arcs_of(check_scores(scores, grid), grid)
    sums = path_sums(arcs, grid)
    n_inputs, n_pairs, n_sizes, _ = arcs.shape
    possible = sums.totals() > -math.inf
    pairs = torch.arange(n_pairs, device=arcs.device)
    sizes = torch.arange(n_sizes, device=arcs.device)
    position = grid.outputs.repeat(n_samples, 1)  # (n_samples, B)
    lengths = torch.zeros(n_samples, n_pairs, n_inputs, dtype=torch.long, device=arcs.device)
    for step in reversed(range(n_inputs)):
        start = position[:, :, None] - sizes
        inside = start.clamp(min=0)
        logits = (
            sums.before[step, pairs[:, None], inside] + arcs[step, pairs[:, None], sizes, inside]
        )
        logits = logits.masked_fill((start < 0) | ~possible[:, None], -math.inf)
        logits[..., 0].masked_fill_(~possible, 0.0)  # a draw needs a distribution
        chances = logits.softmax(-1).flatten(0, 1)
        drawn = torch.multinomial(chances, 1, generator=generator).view(n_samples, n_pairs)
        lengths[:, :, step] = drawn
        position = position - drawn
    return lengths


def path_score(scores: Tensor, grid: Grid, lengths: Tensor) -> Tensor:
    """``(B,)``: the log score of one path of each pair, differentiable.

    Lengths that do not add up to the outputs, or one above ``L``, make it minus infinity.
    """
    scores = check_scores(scores, grid)
    is_input = grid.is_input()
    if lengths.shape != is_input.shape or lengths.dtype.is_floating_point:
        raise ValueError(
            f"a path is a whole number for each input, of shape {tuple(is_input.shape)}, "
            f"got {lengths.dtype} of shape {tuple(lengths.shape)}"
        )
    lengths = lengths.masked_fill(~is_input, 0)
    longest = scores.shape[3] - 1
    end = lengths.cumsum(1)
    whole = (end[:, -1] if lengths.shape[1] else end.sum(1)) == grid.outputs
    whole = whole & ((lengths >= 0) & (lengths <= longest)).all(1)
    start = (end - lengths).clamp(0, grid.most_outputs)
    pairs = torch.arange(grid.n_pairs, device=scores.device)[:, None]
    inputs = torch.arange(grid.most_inputs, device=scores.device)
    chosen = scores[pairs, inputs, start, lengths.clamp(0, longest)]
    return chosen.masked_fill(~is_input, 0).sum(1).masked_fill(~whole, -math.inf)
