import pytest
import torch
from torch import nn
from torch.nn import functional as F

from segtopic.swan import step
from segtopic.swan.step import initial_states, next_states


@pytest.fixture(params=[3, 256])
def tile(request, monkeypatch):
    monkeypatch.setattr(step, "TILE", request.param)


def assert_same(ours, theirs, inputs):
    torch.testing.assert_close(ours, theirs)
    weights = torch.randn_like(ours)
    for one, other in zip(
        torch.autograd.grad(ours, inputs, weights),
        torch.autograd.grad(theirs, inputs, weights),
        strict=True,
    ):
        torch.testing.assert_close(one, other)


@pytest.mark.usefixtures("tile")
def test_a_step_is_a_gru_cell_on_the_chosen_rows():
    torch.manual_seed(0)
    cell = nn.GRUCell(4, 5).double()
    embedded = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    state = torch.randn(10, 5, dtype=torch.float64, requires_grad=True)
    source, symbol = torch.randperm(10)[:7], torch.randint(3, (7,))
    gates = F.linear(embedded, cell.weight_ih, cell.bias_ih)
    ours = next_states(state, source, symbol, gates, cell.weight_hh, cell.bias_hh)
    theirs = cell(embedded[symbol], state[source])
    assert_same(ours, theirs, [embedded, state, *cell.parameters()])


@pytest.mark.usefixtures("tile")
def test_initial_states_are_sums_through_a_tanh():
    torch.manual_seed(0)
    inputs = torch.randn(4, 5, dtype=torch.float64, requires_grad=True)
    positions = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    row, column = torch.randint(4, (10,)), torch.randint(3, (10,))
    ours = initial_states(inputs, positions, row, column)
    assert_same(ours, (inputs[row] + positions[column]).tanh(), [inputs, positions])


def test_autocast_narrows_the_products_only():
    torch.manual_seed(0)
    cell = nn.GRUCell(4, 32)
    state, gates = torch.randn(50, 32), torch.randn(3, 96)
    arguments = (torch.arange(50), torch.randint(3, (50,)), gates, cell.weight_hh, cell.bias_hh)
    exact = next_states(state, *arguments)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        narrow = next_states(state, *arguments)
    assert narrow.dtype == torch.float32
    assert not torch.equal(exact, narrow)
    torch.testing.assert_close(exact, narrow, rtol=0, atol=0.02)
