"""The segment network: how probable is it that an input emits these outputs after those?

The state at node ``(t, j)`` of the grid starts from input ``t`` and, with carry-over, from the
first ``j`` outputs. It gives the distribution of the segment's first symbol; reading a symbol
changes it and gives the next distribution; the end symbol ends the segment. One pass over the
``L`` symbols after ``j`` scores the segments of all ``L + 1`` lengths (the paper's second
strategy). Only nodes on some whole path are looked at, all of the batch as the rows of one matrix,
and of their logits nothing is kept but the two that count: next symbol and end.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from segtopic.lattice.grids import Grid
from segtopic.model.gru import GatedLayer
from segtopic.model.softmax import log_softmax_at
from segtopic.swan.dropout import SequenceDropout
from segtopic.swan.settings import SwanSettings
from segtopic.swan.step import initial_states, next_states


class SegmentNetwork(nn.Module):
    """Scores of segments for training, and the steps that decoding takes.

    Args:
        settings: of the network.
        width: of the encoder's vectors.
        n_symbols: of the outputs; the end symbol has the number ``n_symbols``.
    """

    def __init__(self, settings: SwanSettings, width: int, n_symbols: int) -> None:
        super().__init__()
        units, embedding = settings.segment_units, settings.embedding
        self.max_length = settings.max_segment_length
        self.pay_last_end = settings.pay_last_end
        self.n_symbols = self.end = n_symbols
        self.units = units
        # The row after the symbols stands before the first output.
        self.embedding = nn.Embedding(n_symbols + 1, embedding)
        self.from_input = nn.Linear(width, units)
        self.carry = GatedLayer(embedding, units) if settings.carry_over else None
        self.from_outputs = nn.Linear(units, units, bias=False) if settings.carry_over else None
        self.cell = GatedLayer(embedding, units)
        self.symbols = nn.Linear(units, n_symbols + 1)
        self.dropout = SequenceDropout(settings.dropout)

    def forward(self, vectors: Tensor, targets: Tensor, grid: Grid) -> Tensor:
        """``(B, T', T + 1, L + 1)`` log probabilities; minus infinity off every whole path.

        Args:
            vectors: ``(B, T', D)`` the encoder's.
            targets: ``(B, T)`` symbols; the padding may hold any of them.
            grid: how many of both count.
        """
        vectors, targets = vectors[:, : grid.most_inputs], targets[:, : grid.most_outputs]
        nodes = _Nodes.of(grid, self.max_length)
        state = initial_states(
            self.by_input(vectors).flatten(0, 1),
            self._by_position(targets).flatten(0, 1),
            nodes.row,
            nodes.column if self.carry is not None else torch.zeros_like(nodes.column),
        )
        used, gates_of = targets.unique(return_inverse=True)
        symbol_gates = self.cell.input_gates(self.embedding(used)).to(state.dtype)
        emitted = state.new_zeros(len(state))
        columns = []
        for length in range(self.max_length):
            reads = (nodes.left > length).nonzero().squeeze(1)
            place = nodes.next_output[reads] + length
            ending, reading = self._log_probabilities(state, reads, targets.flatten()[place])
            columns.append(nodes.on_grid(emitted + ending))
            nodes, emitted = nodes.select(reads), emitted.index_select(0, reads) + reading
            if length + 1 < self.max_length or self.pay_last_end:
                state = next_states(
                    state,
                    reads,
                    gates_of.flatten()[place],
                    symbol_gates,
                    self.cell.weight_hh,
                    self.cell.bias_hh,
                )
        if self.pay_last_end:
            emitted = emitted + self._log_probabilities(state, reads[:0], reads[:0])[0]
        columns.append(nodes.on_grid(emitted))
        return torch.stack(columns, dim=-1)

    def by_input(self, vectors: Tensor) -> Tensor:
        """``(..., D)`` to ``(..., H)``: an input's part of the initial state."""
        result: Tensor = self.from_input(self.dropout(vectors))
        return result.to(self.symbols.weight.dtype)

    def first_history(self, n_sequences: int) -> Tensor:
        """``(N, H)``: what is carried over before the first output."""
        history = self.symbols.weight.new_zeros(n_sequences, self.units)
        begin = torch.full((n_sequences,), self.n_symbols, device=history.device)
        return self.next_history(history, begin)

    def next_history(self, history: Tensor, symbol: Tensor) -> Tensor:
        """``(P, H)``: what is carried over after one more output."""
        return history if self.carry is None else self.carry(self.embedding(symbol), history)

    def begin_segment(self, by_input: Tensor, history: Tensor) -> Tensor:
        """``(P, H)``: the state before a segment's first symbol."""
        if self.from_outputs is not None:
            by_input = by_input + self.from_outputs(history)
        return by_input.tanh()

    def next_state(self, state: Tensor, symbol: Tensor) -> Tensor:
        """``(P, H)``: the state after one more symbol of the segment."""
        result: Tensor = self.cell(self.embedding(symbol), state)
        return result

    def distribution(self, state: Tensor) -> Tensor:
        """``(P, V + 1)``: log probabilities of the next symbol, the end symbol last."""
        result: Tensor = self.symbols(state).log_softmax(-1)
        return result

    def _by_position(self, targets: Tensor) -> Tensor:
        """``(B, T + 1, H)``: the part of the first ``j`` outputs; one row if nothing is carried."""
        if self.carry is None or self.from_outputs is None:
            return self.symbols.weight.new_zeros(1, 1, self.units)
        begin = targets.new_full((len(targets), 1), self.n_symbols)
        read = self.dropout(self.embedding(torch.cat([begin, targets], dim=1)))
        gates = self.carry.input_gates(read).to(self.symbols.weight.dtype)
        history = gates.new_zeros(len(targets), self.units)
        histories = []
        for gate in gates.unbind(1):
            state_gates = self.carry.state_gates(history).to(gates.dtype)
            history = self.carry.update(gate, state_gates, history)
            histories.append(history)
        parts: Tensor = self.from_outputs(self.dropout(torch.stack(histories, dim=1)))
        return parts.to(gates.dtype)

    def _log_probabilities(
        self, state: Tensor, reads: Tensor, symbol: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Of the end in every state, ``(R,)``, and of a symbol in those that read one, ``(P,)``."""
        row = torch.cat([torch.arange(len(state), device=state.device), reads])
        word = torch.cat([torch.full_like(row[: len(state)], self.end), symbol])
        with torch.autocast(state.device.type, enabled=False):
            both = log_softmax_at(state, self.symbols.weight, self.symbols.bias, row, word)
        ending, reading = both.split([len(state), len(symbol)])
        return ending, reading


class _Nodes(NamedTuple):
    """The nodes that segments start from, ``(R,)`` each, in the order of the grid.

    Attributes:
        place: in the flattened ``(B, T', T + 1)`` grid.
        row: in the flattened ``(B, T')`` inputs.
        column: in the flattened ``(B, T + 1)`` positions.
        next_output: in the flattened ``(B, T)`` outputs; of no meaning where none is left.
        left: outputs that the pair has after the node.
        shape: of the grid.
    """

    place: Tensor
    row: Tensor
    column: Tensor
    next_output: Tensor
    left: Tensor
    shape: tuple[int, int, int]

    @classmethod
    def of(cls, grid: Grid, max_length: int) -> "_Nodes":
        on_a_path = grid.on_a_path(max_length)
        n_pairs, n_inputs, n_positions = on_a_path.shape
        pair, at_input, position = on_a_path.nonzero().unbind(1)
        row = pair * n_inputs + at_input
        return cls(
            row * n_positions + position,
            row,
            pair * n_positions + position,
            pair * (n_positions - 1) + position,
            grid.outputs[pair] - position,
            (n_pairs, n_inputs, n_positions),
        )

    def select(self, chosen: Tensor) -> "_Nodes":
        place, row, column, next_output, left = (part[chosen] for part in self[:5])
        return _Nodes(place, row, column, next_output, left, self.shape)

    def on_grid(self, values: Tensor) -> Tensor:
        """``(B, T', T + 1)``; minus infinity at all other nodes."""
        empty = values.new_full((math.prod(self.shape),), -math.inf)
        return empty.index_put((self.place,), values).view(self.shape)
