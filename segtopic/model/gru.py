"""The segment network: one vector a document in, states after the words of its segments out.

A GRU reads the symbol [begin] and then the words of a segment; the document's vector is the initial
state of every layer. What the input adds to a layer's gates and what the state adds to them are
separate matrix products, so that each is made once for all the nodes of a trie that share it.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.model.packing import TrieLevel


class GatedLayer(nn.GRUCell):
    """``torch.nn.GRUCell``, its parameters and its mathematics, in two parts."""

    def input_gates(self, inputs: Tensor) -> Tensor:
        """``(..., H)`` to ``(..., 3 H)``: what the input adds to reset, update and new."""
        return F.linear(inputs, self.weight_ih, self.bias_ih)

    def state_gates(self, state: Tensor) -> Tensor:
        """``(P, H)`` to ``(P, 3 H)``: what the state adds to them."""
        return F.linear(state, self.weight_hh, self.bias_hh)

    def update(self, input_gates: Tensor, state_gates: Tensor, state: Tensor) -> Tensor:
        """The new state, ``(P, H)``, as precise as the old one; products may have been rounded."""
        precise = (gates.to(state.dtype) for gates in (input_gates, state_gates))
        result: Tensor = _Update.apply(*precise, state)
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


class SegmentGRU(nn.Module):
    """The begin symbol, the layers and, if words are read, their embeddings.

    Args:
        vocabulary_size: number of words.
        hidden_size: width ``H`` of the document vector, the word embeddings and every layer.
        n_layers: how many layers.
        dropout: share of units dropped between layers and after the last one, in training.
        reads_words: whether states after words will be asked for.
    """

    def __init__(
        self,
        vocabulary_size: int,
        hidden_size: int,
        n_layers: int,
        dropout: float,
        reads_words: bool,
    ) -> None:
        super().__init__()
        self.dropout = dropout
        self.begin = nn.Parameter(torch.randn(hidden_size))
        if reads_words:
            self.embedding = nn.Embedding(vocabulary_size, hidden_size)
        self.layers = nn.ModuleList(GatedLayer(hidden_size, hidden_size) for _ in range(n_layers))

    def states(self, x: Tensor, levels: list[TrieLevel]) -> list[Tensor]:
        """The last layer's state after 0, 1, ... words: ``(D, H)``, then ``(P, H)`` per level."""
        first, states = self.gated_layers[0], self.begun(x)
        last_layer = [states[-1]]
        if levels:
            # Each distinct word of the batch is multiplied once.
            words, place = torch.cat([level.word for level in levels]).unique(return_inverse=True)
            gates = first.input_gates(self.embedding(words))
            for level, of_level in zip(
                levels, place.split([len(level.word) for level in levels]), strict=True
            ):
                states = self._advance(gates.index_select(0, of_level), states, level.parent)
                last_layer.append(states[-1])
        return [F.dropout(state, self.dropout, self.training) for state in last_layer]

    def begun(self, x: Tensor) -> list[Tensor]:
        """``(D, H)`` per layer: the states before the first word."""
        begin = self.gated_layers[0].input_gates(self.begin).expand(len(x), -1)
        return self._advance(begin, [x] * len(self.layers), None)

    def _advance(
        self, input_gates: Tensor, states: list[Tensor], parent: Tensor | None
    ) -> list[Tensor]:
        """Feed one word into every layer.

        Args:
            input_gates: ``(P, 3 H)`` the word's part of the first layer's gates.
            states: ``(Q, H)`` per layer, of the nodes above.
            parent: ``(P,)`` which of them each node continues, sorted; None for each its own.

        Returns:
            ``(P, H)`` per layer.
        """
        if parent is not None:
            # Only nodes with children are multiplied, and each of them once.
            above, parent = parent.unique_consecutive(return_inverse=True)
            states = [state.index_select(0, above) for state in states]
        new_states: list[Tensor] = []
        for layer, state in zip(self.gated_layers, states, strict=True):
            state_gates = layer.state_gates(state)
            if parent is not None:
                state = state.index_select(0, parent)
                state_gates = state_gates.index_select(0, parent)
            if new_states:
                below = F.dropout(new_states[-1], self.dropout, self.training)
                input_gates = layer.input_gates(below)
            new_states.append(layer.update(input_gates, state_gates, state))
        return new_states

    @property
    def gated_layers(self) -> list[GatedLayer]:
        """The layers, from the one that reads words on."""
        return list(self.layers)  # type: ignore[arg-type]
