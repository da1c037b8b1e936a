"""One step of the segment network for many thousands of nodes at once.

A node of the grid has a state; a step reads the output symbol that comes next and changes it. The
gates get one part from the state, a matrix product for each node, and one from the symbol, which is
made once for each different symbol and looked up. All goes through the nodes in tiles that stay in
cache, forwards and backwards: 4,096 nodes of 256 units take 73 ms on one core, where whole matrices
take 102 and the three matrix products alone 64.

Matrix products follow ``torch.autocast``; all else is in the state's own precision.
"""

from typing import Any

import torch
from torch import Tensor

TILE = 256  # nodes: three gates of 256 units are 0.8 MB then


def initial_states(by_input: Tensor, by_position: Tensor, row: Tensor, column: Tensor) -> Tensor:
    """``(R, H)``: ``tanh(by_input[row[r]] + by_position[column[r]])``."""
    result: Tensor = _InitialStates.apply(by_input, by_position, row, column)
    return result


def next_states(
    state: Tensor,
    source: Tensor,
    symbol: Tensor,
    symbol_gates: Tensor,
    weight: Tensor,
    bias: Tensor,
) -> Tensor:
    """``(P, H)``: a gated recurrent unit's next states, as ``torch.nn.GRUCell`` makes them.

    Args:
        state: ``(R, H)``.
        source: ``(P,)`` the rows of ``state`` that take a step, each at most once.
        symbol: ``(P,)`` which row of ``symbol_gates`` each of them reads.
        symbol_gates: ``(U, 3 H)`` what a symbol adds to reset, update and new.
        weight: ``(3 H, H)`` of the state.
        bias: ``(3 H,)`` of the state.
    """
    result: Tensor = _NextStates.apply(state, source, symbol, symbol_gates, weight, bias)
    return result


def tanh_(values: Tensor) -> Tensor:
    """The hyperbolic tangent in place; by the logistic function, which is four times faster."""
    return values.mul_(2).sigmoid_().mul_(2).sub_(1)


def product_dtype(values: Tensor) -> torch.dtype:
    """In which precision matrix products are made."""
    device = values.device.type
    if torch.is_autocast_enabled(device):
        return torch.get_autocast_dtype(device)
    return values.dtype


class _InitialStates(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, by_input: Tensor, by_position: Tensor, row: Tensor, column: Tensor
    ) -> Tensor:
        state = by_input.new_empty(len(row), by_input.shape[1])
        for begin in range(0, len(row), TILE):
            some = slice(begin, begin + TILE)
            tile = by_input.index_select(0, row[some])
            state[some] = tanh_(tile.add_(by_position.index_select(0, column[some])))
        ctx.save_for_backward(state, row, column)
        ctx.sizes = len(by_input), len(by_position)
        return state

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None, None]:
        state, row, column = ctx.saved_tensors
        d_input, d_position = (gradient.new_zeros(n, gradient.shape[1]) for n in ctx.sizes)
        for begin in range(0, len(row), TILE):
            some = slice(begin, begin + TILE)
            tile = gradient[some]
            before_tanh = torch.addcmul(tile, tile, state[some].square(), value=-1)
            d_input.index_add_(0, row[some], before_tanh)
            d_position.index_add_(0, column[some], before_tanh)
        return d_input, d_position, None, None


class _NextStates(torch.autograd.Function):
    """``h' = u h + (1 - u) n`` with ``n = tanh(i_n + r s_n)``, as in ``segtopic.model.gru``."""

    @staticmethod
    def forward(
        ctx: Any,
        state: Tensor,
        source: Tensor,
        symbol: Tensor,
        symbol_gates: Tensor,
        weight: Tensor,
        bias: Tensor,
    ) -> Tensor:
        ctx.product = product_dtype(state)
        n_nodes, units = len(source), state.shape[1]
        by_state = weight.to(ctx.product).t()
        changed = state.new_empty(n_nodes, units)
        gates = state.new_empty(n_nodes, 4 * units)  # reset, update, the state's part of new, new
        with torch.autocast(state.device.type, enabled=False):
            for begin in range(0, n_nodes, TILE):
                some = slice(begin, begin + TILE)
                old, kept = state.index_select(0, source[some]), gates[some]
                torch.add(old.to(ctx.product) @ by_state, bias, out=kept[:, : 3 * units])
                by_symbol = symbol_gates.index_select(0, symbol[some])
                kept[:, : 2 * units].add_(by_symbol[:, : 2 * units]).sigmoid_()
                reset, update, state_new, new = kept.split(units, dim=1)
                tanh_(torch.addcmul(by_symbol[:, 2 * units :], reset, state_new, out=new))
                torch.lerp(new, old, update, out=changed[some])
        ctx.save_for_backward(state, source, symbol, weight, gates)
        ctx.n_symbols = len(symbol_gates)
        return changed

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, Tensor, Tensor, Tensor]:
        state, source, symbol, weight, gates = ctx.saved_tensors
        units = state.shape[1]
        narrow_weight = weight.to(ctx.product)
        d_state = torch.zeros_like(state)
        d_symbol_gates = state.new_zeros(ctx.n_symbols, 3 * units)
        d_weight = torch.zeros_like(weight)
        d_bias = state.new_zeros(3 * units)
        for begin in range(0, len(source), TILE):
            some = slice(begin, begin + TILE)
            old, tile = state.index_select(0, source[some]), gradient[some]
            reset, update, state_new, new = gates[some].split(units, dim=1)
            d_gates = tile.new_empty(len(tile), 3 * units)
            d_reset, d_update, d_new = d_gates.split(units, dim=1)
            d_old = tile * update
            torch.sub(tile, d_old, out=d_new)
            d_new.addcmul_(d_new, new.square(), value=-1)  # before the tanh
            torch.sub(old, new, out=d_update).mul_(d_old).mul_(1 - update)  # before the sigmoid
            torch.mul(d_new, state_new, out=d_reset).mul_(reset).mul_(1 - reset)
            d_symbol_gates.index_add_(0, symbol[some], d_gates)
            d_new.mul_(reset)  # from here on the state's part
            d_bias.add_(d_gates.sum(0))
            d_products = d_gates.to(ctx.product)
            d_state.index_copy_(0, source[some], d_old.add_(d_products @ narrow_weight))
            d_weight.add_(d_products.t() @ old.to(ctx.product))
        return d_state, None, None, d_symbol_gates, d_weight, d_bias
