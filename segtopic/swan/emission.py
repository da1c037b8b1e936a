"""What every network over a grid shares: a state at each node, and a distribution in each state.

The state at node ``(t, j)`` starts from input ``t`` and, with carry-over, from the first ``j``
outputs. What becomes of it while symbols are emitted is the affair of the networks:
:mod:`segtopic.swan.segments` and :mod:`segtopic.swan.transducer`.
"""

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from segtopic.config import SwanSettings
from segtopic.lattice.grids import Grid
from segtopic.model.gru import GatedLayer
from segtopic.model.softmax import log_softmax_at
from segtopic.swan.dropout import SequenceDropout
from segtopic.swan.nodes import Nodes
from segtopic.swan.step import initial_states


class EmissionNetwork(nn.Module, ABC):
    """Scores of segments for training, and the steps that decoding takes.

    Args:
        settings: of the network.
        width: of the encoder's vectors.
        n_symbols: of the outputs; the end symbol has the number ``n_symbols``.
    """

    # Made by each network after its own weights: optimisers in checkpoints know weights by order.
    symbols: nn.Linear

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
        self.dropout = SequenceDropout(settings.dropout)
        self.history_noise = settings.history_noise

    @abstractmethod
    def forward(
        self, vectors: Tensor, targets: Tensor, grid: Grid, near: Tensor | None = None
    ) -> Tensor:
        """``(B, T', T + 1, L + 1)`` log probabilities of segments.

        Args:
            vectors: ``(B, T', D)`` the encoder's.
            targets: ``(B, T)`` symbols; the padding may hold any of them.
            grid: how many of both count.
            near: ``(B, T', T + 1)`` the nodes that are looked at; all if not given.
        """

    @abstractmethod
    def next_state(
        self, state: Tensor, symbol: Tensor, by_input: Tensor, history: Tensor
    ) -> Tensor:
        """``(P, H)``: the state after one more symbol of the segment.

        Args:
            state: ``(P, H)`` before it.
            symbol: ``(P,)``.
            by_input: ``(P, H)`` as of :meth:`begin_segment`.
            history: ``(P, H)`` what is carried over, the symbol included.
        """

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

    def distribution(self, state: Tensor) -> Tensor:
        """``(P, V + 1)``: log probabilities of the next symbol, the end symbol last."""
        result: Tensor = self.symbols(state).log_softmax(-1)
        return result

    def node_states(self, vectors: Tensor, targets: Tensor, nodes: Nodes) -> Tensor:
        """``(R, H)``: the state at each node, before anything is emitted there."""
        return initial_states(
            self.by_input(vectors).flatten(0, 1),
            self._by_position(targets).flatten(0, 1),
            nodes.row,
            nodes.column if self.carry is not None else torch.zeros_like(nodes.column),
        )

    def log_probabilities(
        self, state: Tensor, reads: Tensor, symbol: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Of the end in every state, ``(R,)``, and of a symbol in those that read one, ``(P,)``."""
        row = torch.cat([torch.arange(len(state), device=state.device), reads])
        word = torch.cat([torch.full_like(row[: len(state)], self.end), symbol])
        with torch.autocast(state.device.type, enabled=False):
            both = log_softmax_at(state, self.symbols.weight, self.symbols.bias, row, word)
        ending, reading = both.split([len(state), len(symbol)])
        return ending, reading

    def _misread(self, targets: Tensor) -> Tensor:
        """In training, some symbols as others that are drawn."""
        if not self.training or not self.history_noise:
            return targets
        wrong = torch.rand(targets.shape, device=targets.device) < self.history_noise
        return torch.where(wrong, torch.randint_like(targets, self.n_symbols), targets)

    def _by_position(self, targets: Tensor) -> Tensor:
        """``(B, T + 1, H)``: the part of the first ``j`` outputs; one row if nothing is carried."""
        if self.carry is None or self.from_outputs is None:
            return self.symbols.weight.new_zeros(1, 1, self.units)
        begin = targets.new_full((len(targets), 1), self.n_symbols)
        read = self.dropout(self.embedding(torch.cat([begin, self._misread(targets)], dim=1)))
        gates = self.carry.input_gates(read).to(self.symbols.weight.dtype)
        history = gates.new_zeros(len(targets), self.units)
        histories = []
        for gate in gates.unbind(1):
            state_gates = self.carry.state_gates(history).to(gates.dtype)
            history = self.carry.update(gate, state_gates, history)
            histories.append(history)
        parts: Tensor = self.from_outputs(self.dropout(torch.stack(histories, dim=1)))
        return parts.to(gates.dtype)
