"""One layer of gated recurrent units, with the two halves of its gates apart.

What the input adds to the gates and what the state adds to them are separate matrix products, so
that each can be made once for all the nodes that share it.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class GatedLayer(nn.GRUCell):
    """``torch.nn.GRUCell``, its parameters and its mathematics, in two parts."""

    def input_gates(self, inputs: Tensor) -> Tensor:
        """``(..., H)`` to ``(..., 3 H)``: what the input adds to reset, update and new."""
        return F.linear(inputs, self.weight_ih, self.bias_ih)

    def state_gates(self, state: Tensor) -> Tensor:
        """``(P, H)`` to ``(P, 3 H)``: what the state adds to them."""
        return F.linear(state, self.weight_hh, self.bias_hh)

    def update(self, input_gates: Tensor, state_gates: Tensor, state: Tensor) -> Tensor:
        """The new state, ``(P, H)``."""
        new_gate = slice(2 * self.hidden_size, None)
        both = (input_gates + state_gates)[:, : 2 * self.hidden_size].sigmoid()
        reset, update = both.chunk(2, dim=1)
        new = torch.tanh(input_gates[:, new_gate] + reset * state_gates[:, new_gate])
        return torch.lerp(new, state, update)
