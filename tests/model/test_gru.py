import torch
from torch import nn

from segtopic.model.gru import GatedLayer


def test_the_two_parts_make_torchs_gru_cell():
    torch.manual_seed(0)
    layer = GatedLayer(4, 4).double()
    cell = nn.GRUCell(4, 4).double()
    cell.load_state_dict(layer.state_dict())
    inputs, state = torch.randn(2, 7, 4, dtype=torch.float64, requires_grad=True).unbind()
    found = layer.update(layer.input_gates(inputs), layer.state_gates(state), state)
    torch.testing.assert_close(found, cell(inputs, state))


def test_the_gradient_of_the_update():
    torch.manual_seed(1)
    layer = GatedLayer(3, 3)
    gates = [torch.randn(5, 9, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    state = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer.update, (*gates, state))
