"""The peer without segments: a sequence transducer with the same encoder and carry-over network.

What is emitted at node ``(t, j)`` depends on input ``t`` and the first ``j`` outputs and on nothing
else: after a symbol one stands at ``(t, j + 1)``, whether the segment began there or before. So it
is SWAN without the network that reads the segment (Graves, 2012, calls the end symbol *null*). A
segment has at most ``L`` symbols here too; with ``L >= T`` and ``pay_last_end`` the likelihood is
the RNN-T loss to the last digit.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.config import SwanSettings
from segtopic.lattice.grids import Grid
from segtopic.swan.emission import EmissionNetwork
from segtopic.swan.model import SwanModel
from segtopic.swan.nodes import Nodes, wanted


class TransducerNetwork(EmissionNetwork):
    """One distribution for each node; the arguments are those of every network over a grid."""

    def __init__(self, settings: SwanSettings, width: int, n_symbols: int) -> None:
        super().__init__(settings, width, n_symbols)
        self.symbols = nn.Linear(self.units, n_symbols + 1)

    def forward(
        self, vectors: Tensor, targets: Tensor, grid: Grid, near: Tensor | None = None
    ) -> Tensor:
        """``(B, T', T + 1, L + 1)`` log probabilities; minus infinity beyond the last output."""
        vectors, targets = vectors[:, : grid.most_inputs], targets[:, : grid.most_outputs]
        nodes = Nodes.of(grid, wanted(grid.fits(0)[..., 0], near))
        state = self.node_states(vectors, targets, nodes)
        reads = (nodes.left > 0).nonzero().squeeze(1)
        symbol = targets.flatten()[nodes.next_output[reads]]
        ending, reading = self.log_probabilities(state, reads, symbol)
        ends, steps = nodes.on_grid(ending), nodes.select(reads).on_grid(reading)
        columns, emitted = [ends], steps
        for length in range(1, self.max_length + 1):
            is_free = length == self.max_length and not self.pay_last_end
            columns.append(emitted if is_free else emitted + _ahead(ends, length))
            emitted = emitted + _ahead(steps, length)
        return torch.stack(columns, dim=-1)

    def next_state(
        self, state: Tensor, symbol: Tensor, by_input: Tensor, history: Tensor
    ) -> Tensor:
        """``(P, H)``: the state of the next node, which forgets where the segment began."""
        return self.begin_segment(by_input, history)


class TransducerModel(SwanModel):
    """An encoder, and the transducer's network over it; the arguments are SWAN's."""

    network = TransducerNetwork


def _ahead(values: Tensor, n_outputs: int) -> Tensor:
    """``(B, T', T + 1)``: what stands so many outputs further on; minus infinity where none is."""
    return F.pad(values, (0, n_outputs), value=-math.inf)[..., n_outputs:]
