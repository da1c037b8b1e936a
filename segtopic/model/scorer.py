"""The segment model: scores of every segment of every span, given one vector a document.

A segment ``y_1 .. y_l`` of a document with vector ``x`` has the log probability

    log p(y_1 | h_0) + ... + log p(y_l | h_{l-1}) + log p($ | h_l),

where ``h_0`` is a GRU's state after the symbol [begin] and ``x`` the initial state of every layer.
Empty segments are impossible: the end symbol ``$`` is excluded from the first step.

Two switches:

- ``continuation``: what follows a history. ``joint`` is one softmax over the words and ``$``;
  ``gated`` decides with a sigmoid whether the segment ends, and the words share the rest by their
  own softmax; ``phrases`` predicts the words after the first, and the end, from counts of the
  training text; ``roles`` knows which words begin phrases, stand inside them and end them. The last
  two need the GRU for first words only.
- ``last_step``: where nothing else may follow, ``charged`` pays for ``$`` all the same, so
  probability leaks to what is impossible; ``certain`` ends with probability one. Nothing may
  follow after ``L`` words, and at the end of a span: spans are cut at known boundaries. With
  ``certain`` the segments of 1 .. L words sum to one, and so do all texts of a span's length.

The paper has ``joint`` and ``charged``; with ``certain`` the others are normalised and far faster.
``roles`` learns where phrases end from the ends of spans, so it is always ``charged``.
"""

from typing import Literal, NamedTuple, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.model.continuation import (
    CountedPhrases,
    GatedSoftmax,
    JointSoftmax,
    Steps,
    TopicalFirstWords,
    WordRoles,
)
from segtopic.model.gru import GatedLayer
from segtopic.model.packing import PackedBatch, TrieLevel
from segtopic.model.softmax import log_softmax_at

Continuation = Literal["joint", "gated", "phrases", "roles"]
LastStep = Literal["charged", "certain"]


class SegmentParts(NamedTuple):
    """Log probabilities of a batch's distinct segments, in parts.

    ``words`` and ``ends`` have one entry for every node of every level and one more, minus
    infinity, for the segments that do not exist.
    """

    first_word: Tensor  # (P,) of the nodes of the first level
    words: Tensor  # of all words but the first
    ends: Tensor  # of the end
    span_ends: LastStep  # whether the end of a span's last segment is charged

    def rest(self, batch: PackedBatch) -> Tensor:
        """``(N, L)``: everything but the first word of every segment."""
        ends = self.ends[batch.node]
        if self.span_ends == "certain":
            size = torch.arange(1, ends.shape[1] + 1, device=ends.device)
            ends = ends.masked_fill(batch.spans.remaining[:, None] == size, 0)
        return self.words[batch.node] + ends

    def scores(self, batch: PackedBatch) -> Tensor:
        """``(N, L)``, as the lattice takes them."""
        return self.first_word[batch.node[:, :1]] + self.rest(batch)


class SegmentScorer(nn.Module):
    """Scores ``(N, L)`` of all segments of a batch; see the module's docstring.

    Args:
        vocabulary_size: number of words ``V``.
        hidden_size: width ``H`` of the document vector, the word embeddings and every layer.
        max_length: longest segment ``L`` in words.
        n_layers: GRU layers.
        continuation: ``joint``, ``gated``, ``phrases`` or ``roles``.
        last_step: ``charged`` or ``certain``.
        dropout: share of units dropped between layers and before the softmax, in training.
    """

    def __init__(
        self,
        vocabulary_size: int,
        hidden_size: int,
        max_length: int,
        n_layers: int = 2,
        continuation: Continuation = "gated",
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
            ("continuation", continuation, get_args(Continuation)),
            ("last_step", last_step, get_args(LastStep)),
        ):
            if choice not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, got {choice!r}")
        if continuation == "phrases" and last_step == "charged":
            raise ValueError("the phrase memory needs last_step='certain'")
        if continuation == "roles" and last_step == "certain":
            raise ValueError("the roles of words need last_step='charged'")
        self.vocabulary_size = vocabulary_size
        self.hidden_size = hidden_size
        self.max_length = max_length
        self.last_step = last_step
        self.dropout = dropout
        self.begin = nn.Parameter(torch.randn(hidden_size))
        if continuation in ("joint", "gated"):  # the others do not read the words of a segment
            self.embedding = nn.Embedding(vocabulary_size, hidden_size)
        self.layers = nn.ModuleList(GatedLayer(hidden_size, hidden_size) for _ in range(n_layers))
        self.continuation: JointSoftmax | GatedSoftmax | CountedPhrases | WordRoles
        if continuation == "joint":
            self.continuation = JointSoftmax(vocabulary_size, hidden_size)
        elif continuation == "gated":
            self.continuation = GatedSoftmax(vocabulary_size, hidden_size)
        elif continuation == "roles":
            self.continuation = WordRoles(vocabulary_size, hidden_size)
        else:
            self.continuation = CountedPhrases(vocabulary_size, hidden_size, max_length)

    def forward(self, x: Tensor, batch: PackedBatch, leave_out: bool = False) -> Tensor:
        """``(N, L)``: ``scores[i, l - 1]`` for the ``l`` words from word ``i`` on.

        Minus infinity where they would leave their span. For the arguments see :meth:`parts`.
        """
        return self.parts(x, batch, leave_out).scores(batch)

    def parts(
        self,
        x: Tensor,
        batch: PackedBatch,
        leave_out: bool = False,
        offset: Tensor | None = None,
    ) -> SegmentParts:
        """Log probabilities of all distinct segments.

        Args:
            x: ``(D, H)`` one vector a document.
            batch: the documents' words, packed with segments of at most ``max_length`` words.
            leave_out: leave the documents' own counts out of the phrase memory.
            offset: ``(D, V)`` added to the logits of first words (``phrases`` and ``roles`` only).
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
        steps = Steps([x.new_zeros(0)], [])
        if batch.levels:
            steps = self._steps(x, batch.levels, leave_out, offset)
        words, ends = [torch.zeros_like(steps.words[0])], []
        for depth, (level, end) in enumerate(zip(batch.levels, steps.ends, strict=True)):
            if depth > 0:
                words.append(words[-1].index_select(0, level.parent) + steps.words[depth])
            ends.append(end.expand(len(level.word)))
        impossible = x.new_full((1,), -torch.inf)
        return SegmentParts(
            steps.words[0],
            torch.cat([*words, impossible]),
            torch.cat([*ends, impossible]),
            self.last_step,
        )

    def _steps(
        self, x: Tensor, levels: list[TrieLevel], leave_out: bool, offset: Tensor | None
    ) -> Steps:
        steps: Steps
        if isinstance(self.continuation, TopicalFirstWords):
            (begin,) = self._histories(x, [])
            steps = self.continuation(begin, levels, leave_out, offset)
        else:
            steps = self.continuation(self._histories(x, levels), levels)
        return steps

    def first_word_distribution(self, x: Tensor, offset: Tensor | None = None) -> Tensor:
        """Probabilities of all words as first words, ``(D, V)``."""
        (history,) = self._histories(x, [])
        logits = self.continuation.output(history)[:, : self.vocabulary_size]
        return (logits if offset is None else logits + offset).softmax(1)

    def first_words(self, x: Tensor, batch: PackedBatch, offset: Tensor | None = None) -> Tensor:
        """Log probabilities of the words of the first level as first words, ``(P,)``."""
        (history,) = self._histories(x, [])
        level = batch.levels[0]
        if isinstance(self.continuation, TopicalFirstWords):
            return self.continuation.first_words(history, level, offset)
        words, output = slice(self.vocabulary_size), self.continuation.output
        return log_softmax_at(
            history, output.weight[words], output.bias[words], level.parent, level.word
        )

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

    @property
    def _gru(self) -> list[GatedLayer]:
        return list(self.layers)  # type: ignore[arg-type]
