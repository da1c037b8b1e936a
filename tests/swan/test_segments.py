"""The networks over a grid against loops over single segments, and SWAN's as a distribution."""

import math

import pytest
import torch

from segtopic.config import SwanSettings
from segtopic.lattice import Grid, grid_log_partition
from segtopic.swan.segments import SegmentNetwork
from segtopic.swan.transducer import TransducerNetwork
from tests.swan.models import batch_of, everything, tiny_model

SETTINGS = [
    {"max_segment_length": length, "carry_over": carry, "pay_last_end": pay}
    for length in (1, 2, 3)
    for carry in (True, False)
    for pay in (True, False)
]


def plain_score(network, vector, outputs, position, length):
    """One segment of one pair, symbol by symbol."""
    history = network.first_history(1)
    for symbol in outputs[:position]:
        history = network.next_history(history, torch.tensor([symbol]))
    by_input = network.by_input(vector[None])
    state = network.begin_segment(by_input, history)
    total = 0.0
    for symbol in outputs[position : position + length]:
        total = total + network.distribution(state)[0, symbol]
        history = network.next_history(history, torch.tensor([symbol]))
        state = network.next_state(state, torch.tensor([symbol]), by_input, history)
    if length < network.max_length or network.pay_last_end:
        total = total + network.distribution(state)[0, network.end]
    return total


@pytest.mark.parametrize("kind", [SegmentNetwork, TransducerNetwork])
@pytest.mark.parametrize("settings", SETTINGS)
def test_scores_and_gradients_are_those_of_single_segments(settings, kind):
    torch.manual_seed(1)
    chosen = SwanSettings(segment_units=5, embedding=3, dropout=0.0, **settings)
    network = kind(chosen, width=4, n_symbols=3).double()
    vectors = torch.randn(3, 4, 4, dtype=torch.float64, requires_grad=True)
    targets = torch.tensor([[0, 2, 1], [1, 1, 0], [2, 0, 0]])
    grid = Grid.from_lengths([4, 3, 2], [3, 2, 0])
    scores = network(vectors, targets, grid)
    wanted = grid.fits(chosen.max_segment_length)
    if kind is SegmentNetwork:  # which looks at no other nodes
        wanted &= grid.on_a_path(chosen.max_segment_length)[..., None]
    assert torch.equal(scores > -math.inf, wanted)
    expected = torch.stack(
        [
            plain_score(network, vectors[pair, at], targets[pair].tolist(), position, length)
            for pair, at, position, length in wanted.nonzero().tolist()
        ]
    )
    torch.testing.assert_close(scores[wanted], expected)
    weights = torch.randn_like(expected)
    inputs = [vectors, *network.parameters()]
    for one, other in zip(
        torch.autograd.grad(scores[wanted], inputs, weights, materialize_grads=True),
        torch.autograd.grad(expected, inputs, weights, materialize_grads=True),
        strict=True,
    ):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("inputs", [(0,), (1, 0, 2)])
def test_the_probabilities_of_all_outputs_sum_to_one(settings, inputs):
    if settings["max_segment_length"] == 3:
        inputs = inputs[:2]
    model = tiny_model(**settings)
    total = sum(map(math.exp, everything(model, inputs).values()))
    if settings["pay_last_end"]:
        assert total < 1 - 1e-6  # what would be longer than allowed is lost
    else:
        assert total == pytest.approx(1, abs=1e-12)


def test_without_carry_over_only_the_segment_counts():
    pairs = batch_of(((0, 1, 2), (0, 1, 1)), ((0, 1, 2), (1, 0, 1)))
    scores, grid = tiny_model(carry_over=False).score(pairs)
    # The third output is the same; what came before it does not matter.
    assert torch.equal(scores[0, :, 2], scores[1, :, 2])
    scores, grid = tiny_model(carry_over=True).score(pairs)
    seen = grid.on_a_path(3)[0, :, 2]
    assert not torch.isclose(scores[0, seen, 2, 1], scores[1, seen, 2, 1]).any()


def test_a_pair_does_not_depend_on_its_neighbours():
    model = tiny_model(layers=2, window=3, units=6)
    pairs = [((0, 1, 2, 2), (0, 1)), ((1,), (1, 1, 0)), ((2, 2), ())]
    together = model.log_likelihood(batch_of(*pairs))
    alone = torch.cat([model.log_likelihood(batch_of(pair)) for pair in pairs])
    torch.testing.assert_close(together, alone)


def test_impossible_pairs_leave_the_others_gradient_alone():
    model = tiny_model(max_segment_length=2)
    likelihood = model.log_likelihood(batch_of(((0,), (0, 1, 0)), ((1, 2), (1,))))
    assert likelihood[0] == -math.inf
    likelihood.sum().backward()
    gradients = [weight.grad.clone() for weight in model.parameters()]
    model.zero_grad()
    model.log_likelihood(batch_of(((1, 2), (1,)))).sum().backward()
    for gradient, weight in zip(gradients, model.parameters(), strict=True):
        torch.testing.assert_close(gradient, weight.grad)


@pytest.mark.parametrize("settings", SETTINGS[:4])
def test_gradcheck_of_the_whole_likelihood(settings):
    torch.manual_seed(0)
    chosen = SwanSettings(segment_units=3, embedding=2, dropout=0.0, **settings)
    network = SegmentNetwork(chosen, width=2, n_symbols=2).double()
    grid = Grid.from_lengths([2, 2], [2, 1])
    targets = torch.tensor([[1, 0], [1, 0]])
    vectors = torch.randn(2, 2, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda v: grid_log_partition(network(v, targets, grid), grid), (vectors,)
    )
