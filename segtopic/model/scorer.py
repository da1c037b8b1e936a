"""The segment model: scores of every segment of every span, given one vector a document.

A segment ``y_1 .. y_l`` of a document with vector ``x`` has the log probability

    log p(y_1 | h_0) + ... + log p(y_l | h_{l-1}) + log p($ | h_l),

where ``h_0`` is the state of the segment network (:mod:`segtopic.model.gru`) before the first word.
Empty segments are impossible: the end symbol ``$`` is excluded from the first step.

Two switches:

- ``continuation``: what follows a history (:mod:`segtopic.model.continuations`). ``joint`` is one
  softmax over the words and ``$``; ``gated`` decides with a sigmoid whether the segment ends, and
  the words share the rest by their own softmax; ``phrases`` predicts the words after the first, and
  the end, from counts of the training text; ``roles`` knows which words begin phrases, stand inside
  them and end them. The last two need the network for first words only.
- ``last_step``: where nothing else may follow, ``charged`` pays for ``$`` all the same, so
  probability leaks to what is impossible; ``certain`` ends with probability one. Nothing may
  follow after ``L`` words, and at the end of a span: spans are cut at known boundaries. With
  ``certain`` the segments of 1 .. L words sum to one, and so do all texts of a span's length.

The paper has ``joint`` and ``charged``; with ``certain`` the others are normalised and far faster.
``roles`` learns where phrases end from the ends of spans, so it is always ``charged``.
"""

from typing import NamedTuple, get_args

import torch
from torch import Tensor

from segtopic.model.continuations import (
    CONTINUATIONS,
    Context,
    LastStep,
    SegmentSettings,
    Steps,
)
from segtopic.model.gru import SegmentGRU
from segtopic.model.packing import PackedBatch, Urn
from segtopic.model.urn import OwnPhrases


class SegmentParts(NamedTuple):
    """Log probabilities of a batch's distinct segments, in parts.

    ``words`` and ``ends`` have one entry for every node of every level and one more, minus
    infinity, for the segments that do not exist.
    """

    first_word: Tensor  # (P,) of the nodes of the first level
    steps: Tensor  # of the last word after those before it; zero for a first word
    words: Tensor  # of all words but the first
    ends: Tensor  # of the end
    span_ends: LastStep  # whether the end of a span's last segment is charged

    def rest(
        self, batch: PackedBatch, urn: Urn | None = None, own_phrases: OwnPhrases | None = None
    ) -> Tensor:
        """``(N, L)``: everything but the first word of every segment."""
        ends = self.ends[batch.node]
        if urn is None or own_phrases is None:
            words = self.words[batch.node]
        else:
            steps, ends = own_phrases(self.steps[batch.node], ends, urn)
            words = steps.cumsum(1)
        if self.span_ends == "certain":
            size = torch.arange(1, ends.shape[1] + 1, device=ends.device)
            ends = ends.masked_fill(batch.spans.remaining[:, None] == size, 0)
        return words + ends

    def scores(self, batch: PackedBatch) -> Tensor:
        """``(N, L)``, as the lattice takes them."""
        return self.first_word[batch.node[:, :1]] + self.rest(batch)


class SegmentScorer(SegmentGRU):
    """The segment network with a continuation: scores ``(N, L)`` of all segments of a batch.

    Args:
        vocabulary_size: number of words ``V``.
        hidden_size: width ``H`` of the network.
        max_length: longest segment ``L`` in words.
        n_layers: of the network.
        continuation: its name in the registry.
        last_step: ``charged`` or ``certain``.
        dropout: share of units dropped between layers and before the softmax, in training.
        network_words: whether the network makes further words beside a memory of phrases.
        liked_words: whether further words are weighed by how much the document likes them.
    """

    def __init__(
        self,
        vocabulary_size: int,
        hidden_size: int,
        max_length: int,
        n_layers: int = 2,
        continuation: str = "gated",
        last_step: LastStep = "certain",
        dropout: float = 0.0,
        network_words: bool = True,
        liked_words: bool = True,
    ) -> None:
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
            ("continuation", continuation, [*CONTINUATIONS]),
            ("last_step", last_step, get_args(LastStep)),
        ):
            if choice not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, got {choice!r}")
        kind = CONTINUATIONS[continuation]
        kind.check(continuation, {"last_step": last_step})
        super().__init__(vocabulary_size, hidden_size, n_layers, dropout, kind.reads_words)
        self.vocabulary_size = vocabulary_size
        self.hidden_size = hidden_size
        self.max_length = max_length
        self.last_step = last_step
        settings = SegmentSettings(
            vocabulary_size, hidden_size, max_length, last_step, network_words, liked_words
        )
        self.continuation = kind(settings)

    def forward(self, x: Tensor, batch: PackedBatch, leave_out: bool = False) -> Tensor:
        """``(N, L)``: ``scores[i, l - 1]`` for the ``l`` words from word ``i`` on.

        Minus infinity where they would leave their span.

        Args:
            x: ``(D, H)`` one vector a document.
            batch: the documents' words, packed with segments of at most ``max_length`` words.
            leave_out: leave the documents' own counts out.
        """
        return self.parts(Context(self, x, leave_out=leave_out), batch).scores(batch)

    def parts(self, context: Context, batch: PackedBatch) -> SegmentParts:
        """Log probabilities of all distinct segments of the documents."""
        x = context.x
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
            steps = self.continuation(context, batch.levels)
        words, ends = [torch.zeros_like(steps.words[0])], []
        by_step = [words[0], *steps.words[1:]]
        for depth, (level, end) in enumerate(zip(batch.levels, steps.ends, strict=True)):
            if depth > 0:
                words.append(words[-1].index_select(0, level.parent) + steps.words[depth])
            ends.append(end.expand(len(level.word)))
        impossible = x.new_full((1,), -torch.inf)
        return SegmentParts(
            steps.words[0],
            torch.cat([*by_step, impossible]),
            torch.cat([*words, impossible]),
            torch.cat([*ends, impossible]),
            self.last_step,
        )
