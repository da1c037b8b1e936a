"""An oracle for grids too simple to be wrong, every path one by one; and random batches."""

import math
from itertools import product

import torch
from hypothesis import strategies as st

from segtopic.lattice.grids import Grid


def paths(n_inputs, n_outputs, max_length):
    """Every way to hand the outputs to the inputs in order, as how many each gets."""
    choices = product(range(max_length + 1), repeat=n_inputs)
    return [lengths for lengths in choices if sum(lengths) == n_outputs]


def path_score(pair_scores, lengths):
    position, total = 0, 0.0
    for at_input, length in enumerate(lengths):
        total += float(pair_scores[at_input, position, length])
        position += length
    return total


def all_paths(scores, grid):
    """For each pair the score of each of its paths."""
    sizes = zip(grid.inputs.tolist(), grid.outputs.tolist(), strict=True)
    return [
        {p: path_score(one, p) for p in paths(*size, scores.shape[3] - 1)}
        for one, size in zip(scores, sizes, strict=True)
    ]


def log_sum(values):
    top = max(values, default=-math.inf)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(value - top) for value in values))


def posteriors(scores, grid):
    """``(B, T', T + 1, L + 1)`` by adding up whole paths."""
    result = torch.zeros_like(scores)
    for pair, found in enumerate(all_paths(scores, grid)):
        total = log_sum(found.values())
        for lengths, score in found.items():
            position = 0
            for at_input, length in enumerate(lengths):
                if score > -math.inf:
                    result[pair, at_input, position, length] += math.exp(score - total)
                position += length
    return result


@st.composite
def grids(draw, max_inputs=4, max_outputs=5, max_length=3, forbidden=True, scale=None):
    """``(scores, grid)``: a few pairs, some without inputs, outputs or paths.

    Scores beyond a pair's lengths are not-a-number: nothing may ever look at them.
    """
    sizes = st.tuples(st.integers(0, max_inputs), st.integers(0, max_outputs))
    inputs, outputs = zip(*draw(st.lists(sizes, min_size=1, max_size=4)), strict=True)
    longest = draw(st.integers(1, max_length))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    grid = Grid.from_lengths(inputs, outputs)
    scale = draw(st.sampled_from([0.1, 3.0, 300.0, 3000.0])) if scale is None else scale
    shape = (grid.n_pairs, grid.most_inputs, grid.most_outputs + 1, longest + 1)
    scores = scale * torch.randn(shape, generator=generator, dtype=torch.float64)
    if forbidden and draw(st.booleans()):
        scores[torch.rand(shape, generator=generator) < 0.3] = -math.inf
    scores[~grid.fits(longest)] = math.nan
    return scores, grid
