import doctest
import math

import pytest
import torch
from hypothesis import assume, given, settings

import segtopic.lattice.grids
from segtopic.lattice.grids import Grid, grid, grid_log_partition, grid_posteriors, scan
from tests.lattice import grid_oracle as oracle
from tests.lattice.grid_oracle import grids


@pytest.mark.parametrize("module", [segtopic.lattice.grids, grid])
def test_docstring_examples(module):
    results = doctest.testmod(module)
    assert results.attempted > 0
    assert results.failed == 0


@given(grids())
def test_equals_enumeration(batch):
    scores, grid = batch
    expected = [oracle.log_sum(paths.values()) for paths in oracle.all_paths(scores, grid)]
    expected = torch.tensor(expected, dtype=torch.float64)
    torch.testing.assert_close(grid_log_partition(scores, grid), expected, rtol=1e-12, atol=1e-9)


@given(grids())
def test_gradient_equals_the_enumerated_posterior(batch):
    scores, grid = batch
    scores.requires_grad_()
    weights = torch.arange(1.0, grid.n_pairs + 1, dtype=torch.float64)
    (weights * grid_log_partition(scores, grid)).sum().backward()
    expected = oracle.posteriors(scores.detach(), grid) * weights[:, None, None, None]
    torch.testing.assert_close(scores.grad, expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=12)
@given(grids(max_inputs=3, max_outputs=3, max_length=2, forbidden=False, scale=2.0))
def test_gradcheck(batch):
    scores, grid = batch
    assume(scores.numel())
    possible = grid.possible(scores.shape[3] - 1)
    scores = scores.nan_to_num(0.0).requires_grad_()
    assert torch.autograd.gradcheck(lambda s: grid_log_partition(s, grid)[possible], (scores,))


@given(grids(scale=300.0))
def test_plain_numbers_and_logarithms_agree(batch):
    scores, grid = batch
    arcs = scan.arcs_of(scores / 100, grid)
    real, log = scan._both(arcs.exp(), grid, scan.REAL), scan._both(arcs, grid, scan.LOG)
    torch.testing.assert_close(real, log, rtol=1e-10, atol=1e-9)


def test_zero_scores_count_the_paths():
    # Five outputs handed to four inputs in any way: 8 over 3.
    total = grid_log_partition(torch.zeros(1, 4, 6, 6), Grid.from_lengths([4], [5]))
    assert total.exp().item() == pytest.approx(math.comb(8, 3), rel=1e-6)


@given(grids())
def test_a_batch_is_the_same_as_its_pairs_alone(batch):
    scores, grid = batch
    alone = [
        grid_log_partition(one[None], Grid(inputs[None], outputs[None]))
        for one, inputs, outputs in zip(scores, grid.inputs, grid.outputs, strict=True)
    ]
    torch.testing.assert_close(
        grid_log_partition(scores, grid), torch.cat(alone), rtol=1e-12, atol=1e-9
    )


@given(grids(forbidden=False, scale=3.0))
def test_padding_changes_neither_value_nor_gradient(batch):
    scores, grid = batch
    outside = ~grid.fits(scores.shape[3] - 1)
    results = []
    for value in (0.0, -math.inf, math.inf, math.nan):
        filled = scores.masked_fill(outside, value)
        wide = torch.full((filled.shape[0], 6, 8, filled.shape[3]), value, dtype=filled.dtype)
        wide[:, : filled.shape[1], : filled.shape[2]] = filled
        wide.requires_grad_()
        total = grid_log_partition(wide, grid)
        total.sum().backward()
        results.append((total.detach(), wide.grad))
    for total, gradient in results[1:]:
        assert torch.equal(total, results[0][0])
        assert torch.equal(gradient, results[0][1])


def test_long_sequences_in_float32_have_sound_posteriors():
    generator = torch.Generator().manual_seed(1)
    grid = Grid.from_lengths([500, 40], [100, 30])
    shape = (2, 500, 101, 4)
    scores = (-20 * torch.rand(shape, generator=generator)).requires_grad_()
    grid_log_partition(scores, grid).sum().backward()
    # Every input emits one segment, every output is emitted once.
    assert scores.grad.sum((2, 3))[0].sub(1).abs().max() < 1e-5
    sizes = torch.arange(4)
    emitted = (scores.grad.double() * sizes).sum((1, 2, 3))
    torch.testing.assert_close(emitted, grid.outputs.double(), rtol=1e-6, atol=1e-6)


def test_impossible_pairs_are_minus_infinity_with_a_zero_gradient():
    grid = Grid.from_lengths([2, 1, 0, 0], [2, 3, 1, 0])
    scores = torch.zeros(4, 2, 4, 3, requires_grad=True)
    total = grid_log_partition(scores, grid)
    assert total.tolist() == [pytest.approx(math.log(3)), -math.inf, -math.inf, 0.0]
    total.sum().backward()
    assert not scores.grad.isnan().any()
    assert scores.grad[1:].eq(0).all()
    assert scores.grad[0].sum().item() == pytest.approx(2)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_results_keep_the_dtype_and_the_callers_tensors(dtype):
    grid = Grid.from_lengths([3, 5], [4, 2])
    scores = torch.randn(2, 5, 5, 3).to(dtype)
    before, lengths = scores.clone(), (grid.inputs.clone(), grid.outputs.clone())
    scores.requires_grad_()
    total = grid_log_partition(scores, grid)
    total.sum().backward()
    assert total.dtype == scores.grad.dtype == grid_posteriors(scores, grid).dtype == dtype
    assert torch.equal(scores.detach(), before)
    assert torch.equal(grid.inputs, lengths[0])
    assert torch.equal(grid.outputs, lengths[1])


def test_no_pairs_at_all():
    scores = torch.zeros(0, 0, 1, 3, requires_grad=True)
    total = grid_log_partition(scores, Grid.from_lengths([], []))
    total.sum().backward()
    assert total.shape == (0,)
    assert scores.grad.shape == scores.shape


def test_differentiating_twice_is_a_clear_error():
    scores = torch.zeros(1, 2, 3, 3, requires_grad=True)
    total = grid_log_partition(scores, Grid.from_lengths([2], [2]))
    with pytest.raises(RuntimeError, match="cannot be differentiated twice"):
        torch.autograd.grad(total.sum(), scores, create_graph=True)


@given(grids(forbidden=False))
def test_nodes_off_every_path_have_no_posterior(batch):
    scores, grid = batch
    max_length = scores.shape[3] - 1
    on_a_path = torch.zeros(scores.shape[:3], dtype=torch.bool)
    for pair, found in enumerate(oracle.all_paths(scores, grid)):
        for lengths in found:
            position = 0
            for at_input, length in enumerate(lengths):
                on_a_path[pair, at_input, position] = True
                position += length
    assert torch.equal(grid.on_a_path(max_length), on_a_path)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (torch.zeros(2, 2, 4, 3), r"here \(2, 3, 4, L \+ 1\)"),
        (torch.zeros(2, 3, 3, 3), r"got \(2, 3, 3, 3\)"),
        (torch.zeros(1, 3, 4, 3), r"got \(1, 3, 4, 3\)"),
        (torch.zeros(2, 3, 4, 1), "with L >= 1"),
        (torch.zeros(2, 3, 4), r"got \(2, 3, 4\)"),
        (torch.zeros(2, 3, 4, 3, dtype=torch.long), "floating-point numbers, got torch.int64"),
    ],
)
def test_wrong_scores_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        grid_log_partition(scores, Grid.from_lengths([3, 1], [2, 3]))


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        ([1, 2], [1], "got 2 and 1 of them"),
        ([1.0], [1], "input lengths must be a vector of whole numbers, not torch.float32"),
        ([1], [[1]], r"output lengths .* of shape \(1, 1\)"),
        ([1], [-1], "output lengths must be at least 0, got -1"),
    ],
)
def test_wrong_lengths_are_refused(inputs, outputs, message):
    with pytest.raises(ValueError, match=message):
        Grid.from_lengths(inputs, outputs)
