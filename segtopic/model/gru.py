"""One layer of gated recurrent units, with the two halves of its gates apart.

What the input adds to the gates and what the state adds to them are separate matrix products, so
that each can be made once for all the nodes that share it.
"""

from typing import Any

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
        result: Tensor = _Update.apply(input_gates, state_gates, state)
        return result


class _Update(torch.autograd.Function):
    """``h' = u h + (1 - u) n`` with ``n = tanh(i_n + r s_n)``; autograd would make three times
    as many passes over the gates, which are a tenth of a training step."""

    @staticmethod
    def forward(ctx: Any, input_gates: Tensor, state_gates: Tensor, state: Tensor) -> Tensor:
        hidden = state.shape[1]
        gates = input_gates + state_gates
        reset, update = gates[:, : 2 * hidden].sigmoid_().chunk(2, dim=1)
        state_new = state_gates[:, 2 * hidden :]
        new = torch.addcmul(input_gates[:, 2 * hidden :], reset, state_new).tanh_()
        ctx.save_for_backward(gates, state_new, new, state)
        return torch.lerp(new, state, update)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        gates, state_new, new, state = ctx.saved_tensors
        reset, update, _ = gates.chunk(3, dim=1)
        d_input = torch.empty_like(gates)
        d_reset, d_update, d_new = d_input.chunk(3, dim=1)
        d_state = gradient * update
        torch.mul(gradient - d_state, 1 - new * new, out=d_new)  # before the tanh
        torch.mul(d_state * (state - new), 1 - update, out=d_update)  # before the sigmoid
        torch.mul(d_new * state_new, reset * (1 - reset), out=d_reset)
        d_state_gates = torch.cat([d_reset, d_update, d_new * reset], dim=1)
        return d_input, d_state_gates, d_state
