"""The segment network: how probable is it that an input emits these outputs after those?

The state at node ``(t, j)`` of the grid starts from input ``t`` and, with carry-over, from the
first ``j`` outputs. It gives the distribution of the segment's first symbol; reading a symbol
changes it and gives the next distribution; the end symbol ends the segment. One pass over the
``L`` symbols after ``j`` scores the segments of all ``L + 1`` lengths (the paper's second
strategy). Only nodes on some whole path are looked at, all of the batch as the rows of one matrix,
and of their logits nothing is kept but the two that count: next symbol and end.
"""

import torch
from torch import Tensor, nn

from segtopic.config import SwanSettings
from segtopic.lattice.grids import Grid
from segtopic.model.gru import GatedLayer
from segtopic.swan.emission import EmissionNetwork
from segtopic.swan.nodes import Nodes, wanted
from segtopic.swan.step import next_states


class SegmentNetwork(EmissionNetwork):
    """A gated unit reads the segment; the arguments are those of every network over a grid."""

    def __init__(self, settings: SwanSettings, width: int, n_symbols: int) -> None:
        super().__init__(settings, width, n_symbols)
        self.cell = GatedLayer(settings.embedding, self.units)
        self.symbols = nn.Linear(self.units, n_symbols + 1)

    def forward(
        self, vectors: Tensor, targets: Tensor, grid: Grid, near: Tensor | None = None
    ) -> Tensor:
        """``(B, T', T + 1, L + 1)`` log probabilities; minus infinity off every whole path."""
        vectors, targets = vectors[:, : grid.most_inputs], targets[:, : grid.most_outputs]
        nodes = Nodes.of(grid, wanted(grid.on_a_path(self.max_length), near))
        state = self.node_states(vectors, targets, nodes)
        used, gates_of = targets.unique(return_inverse=True)
        symbol_gates = self.cell.input_gates(self.embedding(used)).to(state.dtype)
        emitted = state.new_zeros(len(state))
        columns = []
        for length in range(self.max_length):
            reads = (nodes.left > length).nonzero().squeeze(1)
            place = nodes.next_output[reads] + length
            ending, reading = self.log_probabilities(state, reads, targets.flatten()[place])
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
            emitted = emitted + self.log_probabilities(state, reads[:0], reads[:0])[0]
        columns.append(nodes.on_grid(emitted))
        return torch.stack(columns, dim=-1)

    def next_state(
        self, state: Tensor, symbol: Tensor, by_input: Tensor, history: Tensor
    ) -> Tensor:
        """``(P, H)``: the state after one more symbol, which is all that counts."""
        result: Tensor = self.cell(self.embedding(symbol), state)
        return result
