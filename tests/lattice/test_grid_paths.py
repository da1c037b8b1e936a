import math
from collections import Counter

import pytest
import torch
from hypothesis import given

from segtopic.lattice.grids import (
    Grid,
    best_path,
    emission_probabilities,
    expected_lengths,
    grid_log_partition,
    grid_posteriors,
    mean_segment_length,
    path_score,
    sample_paths,
)
from tests.lattice import grid_oracle as oracle
from tests.lattice.grid_oracle import grids


def cut(lengths, grid):
    """The paths of each pair, without the padding."""
    rows = zip(lengths.tolist(), grid.inputs.tolist(), strict=True)
    return [tuple(row[:n_inputs]) for row, n_inputs in rows]


@given(grids())
def test_the_best_path_is_the_best_of_all(batch):
    scores, grid = batch
    best = best_path(scores, grid)
    columns = (oracle.all_paths(scores, grid), best.scores.tolist(), cut(best.lengths, grid))
    for paths, score, lengths in zip(*columns, strict=True):
        expected = max(paths.values(), default=-math.inf)
        assert score == pytest.approx(expected, rel=1e-12, abs=1e-9)
        if expected > -math.inf:
            assert paths[lengths] == pytest.approx(expected, rel=1e-12, abs=1e-9)
        else:
            assert not any(lengths)
    assert (best.scores <= grid_log_partition(scores, grid) + 1e-6).all()


@given(grids(forbidden=False))
def test_the_score_of_a_path(batch):
    scores, grid = batch
    best = best_path(scores, grid)
    torch.testing.assert_close(path_score(scores, grid, best.lengths), best.scores)
    if grid.most_inputs:
        wrong = best.lengths.clone()
        wrong[:, 0] += 1
        has_inputs = grid.inputs > 0
        assert (path_score(scores, grid, wrong)[has_inputs] == -math.inf).all()


def test_a_path_of_another_form_is_refused():
    with pytest.raises(ValueError, match=r"of shape \(1, 2\), got torch.int64 of shape \(1, 3\)"):
        path_score(torch.zeros(1, 2, 2, 2), Grid.from_lengths([2], [1]), torch.zeros(1, 3).long())


@given(grids())
def test_posteriors_and_what_follows_equal_enumeration(batch):
    scores, grid = batch
    posteriors = grid_posteriors(scores, grid)
    expected = oracle.posteriors(scores, grid)
    torch.testing.assert_close(posteriors, expected, rtol=1e-9, atol=1e-9)
    lengths = torch.zeros(grid.n_pairs, grid.most_inputs, dtype=torch.float64)
    emission = torch.zeros(grid.n_pairs, grid.most_inputs, grid.most_outputs, dtype=torch.float64)
    for pair, at_input, position, length in (expected > 0).nonzero().tolist():
        weight = expected[pair, at_input, position, length]
        lengths[pair, at_input] += weight * length
        emission[pair, at_input, position : position + length] += weight
    torch.testing.assert_close(expected_lengths(posteriors), lengths)
    torch.testing.assert_close(emission_probabilities(posteriors), emission)


def test_mean_length_of_segments_that_are_not_empty():
    grid = Grid.from_lengths([3], [4])
    scores = torch.full((1, 3, 5, 4), -math.inf)
    for at_input, position, length in ((0, 0, 3), (1, 3, 0), (2, 3, 1)):
        scores[0, at_input, position, length] = 0.0
    assert mean_segment_length(grid_posteriors(scores, grid)).item() == pytest.approx(2)


def test_samples_follow_the_posterior():
    generator = torch.Generator().manual_seed(3)
    grid = Grid.from_lengths([3, 1, 4], [3, 2, 2])
    scores = torch.randn(3, 4, 4, 3, generator=generator, dtype=torch.float64)
    scores[0, 0, 0, 1] = -math.inf
    n_samples = 20_000
    samples = sample_paths(scores, grid, n_samples, generator)
    for pair, paths in enumerate(oracle.all_paths(scores, grid)):
        n_inputs = int(grid.inputs[pair])
        counts = Counter(map(tuple, samples[:, pair, :n_inputs].tolist()))
        assert samples[:, pair, n_inputs:].eq(0).all()
        total = oracle.log_sum(paths.values())
        assert set(counts) <= {path for path, score in paths.items() if score > -math.inf}
        for path, score in paths.items():
            probability = math.exp(score - total)
            # Five standard deviations of a binomial share.
            tolerance = 5 * math.sqrt(probability * (1 - probability) / n_samples) + 1e-9
            assert counts[path] / n_samples == pytest.approx(probability, abs=tolerance)


@given(grids())
def test_every_sample_is_possible_and_seeded(batch):
    scores, grid = batch
    first, second = (
        sample_paths(scores, grid, 5, torch.Generator().manual_seed(7)) for _ in range(2)
    )
    assert torch.equal(first, second)
    everything = oracle.all_paths(scores, grid)
    for sample in first:
        for paths, lengths in zip(everything, cut(sample, grid), strict=True):
            possible = {path for path, score in paths.items() if score > -math.inf}
            assert lengths in possible if possible else not any(lengths)
