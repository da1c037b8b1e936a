"""The segment model: a GRU that scores every segment of every span, given one vector a document.

A segment ``y_1 .. y_l`` of a document with vector ``x`` has the log probability

    log p(y_1 | h_0) + ... + log p(y_l | h_{l-1}) + log p($ | h_l),

where ``h_0`` is the state after the symbol [begin] and ``x`` is the initial state of every layer.
Empty segments are impossible: the end symbol ``$`` is excluded from the first step.

Two switches:

- ``end_symbol``: ``joint`` is one softmax over the words and ``$``; ``gated`` decides with a
  sigmoid whether the segment ends, and the words share the rest by their own softmax.
- ``last_step``: after ``L`` words ``charged`` pays for ``$`` although nothing else may follow, so
  probability leaks to longer segments; ``certain`` ends with probability one, so that the
  segments of 1 .. L words sum to one.

The paper has ``joint`` and ``charged``; ``gated`` and ``certain`` are normalised and need far
fewer softmax rows.
"""

from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.model.gru import GatedLayer
from segtopic.model.packing import PackedBatch, TrieLevel
from segtopic.model.softmax import log_softmax_at

EndSymbol = Literal["joint", "gated"]
LastStep = Literal["charged", "certain"]


class SegmentScorer(nn.Module):
    """Scores ``(N, L)`` of all segments of a batch; see the module's docstring.

    Args:
        vocabulary_size: number of words ``V``.
        hidden_size: width ``H`` of the document vector, the word embeddings and every layer.
        max_length: longest segment ``L`` in words.
        n_layers: GRU layers.
        end_symbol: ``joint`` or ``gated``.
        last_step: ``charged`` or ``certain``.
        dropout: share of units dropped between layers and before the softmax, in training.
    """

    def __init__(
        self,
        vocabulary_size: int,
        hidden_size: int,
        max_length: int,
        n_layers: int = 2,
        end_symbol: EndSymbol = "gated",
        last_step: LastStep = "certain",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        for name, value in (
            ("vocabulary_size", vocabulary_size),
            ("hidden_size", hidden_size),
            ("max_length", max_length),
            ("n_layers", n_layers),
        ):
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        if not 0 <= dropout < 1:
            raise ValueError(f"dropout must be in [0, 1), got {dropout}")
        for name, choice, choices in (
            ("end_symbol", end_symbol, get_args(EndSymbol)),
            ("last_step", last_step, get_args(LastStep)),
        ):
            if choice not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, got {choice!r}")
        self.vocabulary_size = vocabulary_size
        self.hidden_size = hidden_size
        self.max_length = max_length
        self.end_symbol = end_symbol
        self.last_step = last_step
        self.dropout = dropout
        self.begin = nn.Parameter(torch.randn(hidden_size))
        self.embedding = nn.Embedding(vocabulary_size, hidden_size)
        self.layers = nn.ModuleList(GatedLayer(hidden_size, hidden_size) for _ in range(n_layers))
        # Row V of a joint softmax is the end symbol.
        self.output = nn.Linear(hidden_size, vocabulary_size + (end_symbol == "joint"))
        self.end_gate = nn.Linear(hidden_size, 1) if end_symbol == "gated" else None

    def forward(self, x: Tensor, batch: PackedBatch) -> Tensor:
        """Log probabilities of all segments.

        Args:
            x: ``(D, H)`` one vector a document.
            batch: the documents' words, packed with segments of at most ``max_length`` words.

        Returns:
            ``(N, L)``: ``scores[i, l - 1]`` for the ``l`` words from word ``i`` on, minus infinity
            where they would leave their span.
        """
        if x.shape != (batch.n_documents, self.hidden_size):
            raise ValueError(
                f"expected one vector of {self.hidden_size} numbers for each of the "
                f"{batch.n_documents} documents, got shape {tuple(x.shape)}"
            )
        if batch.node.shape[1] != self.max_length:
            raise ValueError(
                f"the batch is packed for segments of {batch.node.shape[1]} words, "
                f"the scorer has max_length={self.max_length}"
            )
        histories = self._histories(x, batch.levels)
        next_words, ends = self._next_words_and_ends(histories, batch.levels)
        words = x.new_zeros(len(x))  # log probability of each node's words, without its end
        scores = []
        for level, next_word, end in zip(batch.levels, next_words, ends, strict=True):
            words = words.index_select(0, level.parent) + next_word
            scores.append(words + end)
        impossible = x.new_full((1,), -torch.inf)
        return torch.cat([*scores, impossible])[batch.node]

    def _histories(self, x: Tensor, levels: list[TrieLevel]) -> list[Tensor]:
        """The last layer's state after 0, 1, ... words: ``(D, H)``, then ``(P, H)`` per level.

        After the ``L`` words of the last level nothing is predicted if the end is certain there.
        """
        if self.last_step == "certain":
            levels = levels[: self.max_length - 1]
        first = self._gru[0]
        begin = first.input_gates(self.begin).expand(len(x), -1)
        states = self._advance(begin, [x] * len(self.layers), None)
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
        for layer, state in zip(self._gru, states, strict=True):
            state_gates = layer.state_gates(state)
            if parent is not None:
                state = state.index_select(0, parent)
                state_gates = state_gates.index_select(0, parent)
            if new_states:
                below = F.dropout(new_states[-1], self.dropout, self.training)
                input_gates = layer.input_gates(below)
            new_states.append(layer.update(input_gates, state_gates, state))
        return new_states

    def _next_words_and_ends(
        self, histories: list[Tensor], levels: list[TrieLevel]
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Log probabilities, per level: of each node's last word, and of ``$`` after the node.

        The rows of all levels go through one softmax: its large weights are then read, and their
        gradient written, once.
        """
        if not levels:
            return [], []
        history = torch.cat(histories)
        begins = [0, *torch.tensor([len(h) for h in histories]).cumsum(0).tolist()]
        parent = torch.cat([lv.parent + b for lv, b in zip(levels, begins, strict=False)])
        word = torch.cat([level.word for level in levels])
        if self.end_gate is None:
            next_word, end = self._joint(history, parent, word, len(histories[0]))
        else:
            next_word, end = self._gated(history, parent, word, len(histories[0]))
        ends = list(end.split([len(h) for h in histories[1:]]))
        ends += [end.new_zeros(())] * (len(levels) - len(ends))
        return list(next_word.split([len(level.word) for level in levels])), ends

    def _gated(
        self, history: Tensor, parent: Tensor, word: Tensor, n_documents: int
    ) -> tuple[Tensor, Tensor]:
        """The words after each history, and the ends after those that are not documents."""
        assert self.end_gate is not None
        rows, row = parent.unique_consecutive(return_inverse=True)  # only what goes on
        next_word = log_softmax_at(
            history.index_select(0, rows), self.output.weight, self.output.bias, row, word
        )
        gate = self.end_gate(history[n_documents:]).squeeze(1)
        go_on = torch.cat([gate.new_zeros(n_documents), F.logsigmoid(-gate)])  # none is empty
        return next_word + go_on.index_select(0, parent), F.logsigmoid(gate)

    def _joint(
        self, history: Tensor, parent: Tensor, word: Tensor, n_documents: int
    ) -> tuple[Tensor, Tensor]:
        """The same with ``$`` as one more word, which the first step does not have."""
        weight, bias = self.output.weight, self.output.bias
        after_words, n_first = history[n_documents:], int((parent < n_documents).sum())
        first_word = log_softmax_at(
            history[:n_documents], weight[:-1], bias[:-1], parent[:n_first], word[:n_first]
        )
        node = torch.arange(len(after_words), device=parent.device)
        end_and_word = log_softmax_at(
            after_words,
            weight,
            bias,
            torch.cat([node, parent[n_first:] - n_documents]),
            torch.cat([torch.full_like(node, self.vocabulary_size), word[n_first:]]),
        )
        end, next_word = end_and_word.tensor_split([len(node)])
        return torch.cat([first_word, next_word]), end

    @property
    def _gru(self) -> list[GatedLayer]:
        return list(self.layers)  # type: ignore[arg-type]
