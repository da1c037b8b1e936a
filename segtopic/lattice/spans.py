"""The ragged shape that every dynamic programme of this folder works on.

A batch holds thousands of short spans or a few very long ones, so nothing is padded: the words of
all spans stand one after the other, and :class:`Spans` knows where each span begins and ends.

>>> spans = Spans.from_lengths([2, 3])
>>> spans.n_words, spans.span_of_word.tolist(), spans.position.tolist()
(5, [0, 0, 1, 1, 1], [0, 1, 0, 1, 2])
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Spans:
    """Lengths of the spans of a batch, ``(S,)``, and what follows from them (computed on demand).

    Build with :meth:`from_lengths`; keep the object while the spans stay the same, because the
    order in which the recursions visit the words is computed once per object.
    """

    lengths: Tensor

    @classmethod
    def from_lengths(
        cls, lengths: Tensor | Sequence[int], device: torch.device | str | None = None
    ) -> "Spans":
        """Check the lengths; each must be a positive whole number."""
        lengths = torch.as_tensor(lengths, device=device)
        if lengths.numel() == 0:
            lengths = lengths.long()
        if lengths.dim() != 1 or lengths.dtype.is_floating_point or lengths.dtype == torch.bool:
            raise ValueError(
                f"span lengths must be a vector of whole numbers, "
                f"not {lengths.dtype} of shape {tuple(lengths.shape)}"
            )
        if (lengths < 1).any():
            raise ValueError("every span must hold at least one word; leave empty spans out")
        return cls(lengths.long())

    def to(self, device: torch.device | str) -> "Spans":
        """The same spans on another device."""
        return Spans(self.lengths.to(device))

    @property
    def n_spans(self) -> int:
        return len(self.lengths)

    @cached_property
    def n_words(self) -> int:
        return int(self.lengths.sum())

    @cached_property
    def longest(self) -> int:
        """Words in the longest span, 0 if there is none."""
        return int(self.lengths.max()) if self.n_spans else 0

    @cached_property
    def first_word(self) -> Tensor:
        """``(S,)`` index of each span's first word."""
        return self.lengths.cumsum(0) - self.lengths

    @property
    def last_word(self) -> Tensor:
        """``(S,)`` index of each span's last word."""
        return self.first_word + self.lengths - 1

    @cached_property
    def span_of_word(self) -> Tensor:
        """``(N,)`` the span that each word stands in."""
        numbers = torch.arange(self.n_spans, device=self.lengths.device)
        return numbers.repeat_interleave(self.lengths, output_size=self.n_words)

    @cached_property
    def position(self) -> Tensor:
        """``(N,)`` words before each word in its span."""
        words = torch.arange(self.n_words, device=self.lengths.device)
        return words - self.first_word[self.span_of_word]

    @cached_property
    def remaining(self) -> Tensor:
        """``(N,)`` words from each word to its span's end, itself included."""
        return self.lengths[self.span_of_word] - self.position

    def fits(self, max_length: int) -> Tensor:
        """``(N, L)`` whether the ``l`` words from word ``i`` on stay in their span."""
        sizes = torch.arange(1, max_length + 1, device=self.lengths.device)
        return self.remaining[:, None] >= sizes

    def sum(self, values: Tensor) -> Tensor:
        """Sum over the words of each span: ``(N, ...)`` to ``(S, ...)``."""
        sums = values.new_zeros(self.n_spans, *values.shape[1:])
        return sums.index_add(0, self.span_of_word, values)

    def pack(self, padded: Tensor) -> Tensor:
        """From ``padded[s, j, ...]`` to the ragged ``packed[i, ...]`` with ``i = first[s] + j``."""
        if padded.dim() < 2 or padded.shape[0] != self.n_spans:
            raise ValueError(
                f"expected {self.n_spans} spans in the first of at least two dimensions, "
                f"got shape {tuple(padded.shape)}"
            )
        if padded.shape[1] < self.longest:
            raise ValueError(
                f"the longest span has {self.longest} words, "
                f"the second dimension only {padded.shape[1]}"
            )
        return padded[self.span_of_word, self.position]

    def pad(self, packed: Tensor, value: float) -> Tensor:
        """The inverse of :meth:`pack`; what lies beyond a span's end becomes ``value``."""
        padded = packed.new_full((self.n_spans, self.longest, *packed.shape[1:]), value)
        return padded.index_put((self.span_of_word, self.position), packed)

    @cached_property
    def mirrored(self) -> "Spans":
        """All spans followed by all spans in reverse: word ``i`` again at ``2 N - 1 - i``."""
        return Spans(torch.cat([self.lengths, self.lengths.flip(0)]))

    def chunks(self, size: int) -> "Spans":
        """Every span cut into pieces of ``size`` words; the last piece holds what is left."""
        pieces = self.n_chunks(size)
        lengths = torch.full((int(pieces.sum()),), size, device=self.lengths.device)
        lengths[pieces.cumsum(0) - 1] = self.lengths - (pieces - 1) * size
        return Spans(lengths)

    def n_chunks(self, size: int) -> Tensor:
        """``(S,)`` into how many pieces :meth:`chunks` cuts each span."""
        return (self.lengths + size - 1) // size

    @cached_property
    def waves(self) -> "Waves":
        """The order in which a recursion visits the words; see :class:`Waves`."""
        return Waves.of(self)


@dataclass(frozen=True, eq=False)
class Waves:
    """All spans advance together, one word per step; step ``t`` is one contiguous *wave*.

    The spans stand in lanes, longest first, so the spans still under way at step ``t`` are the
    first ``counts[t]`` lanes, and the waves together hold every word exactly once.

    Attributes:
        counts: spans under way at each step; non-increasing, sums to ``N``.
        lane: ``(N,)`` the lane of each word's span.
        place: ``(N,)`` where each word stands in the waves.
        order: ``(N,)`` the words in the order of the waves, the inverse of ``place``.
    """

    counts: list[int]
    lane: Tensor
    place: Tensor
    order: Tensor

    @classmethod
    def of(cls, spans: Spans) -> "Waves":
        lane_of_span = _inverse(spans.lengths.argsort(descending=True, stable=True))
        lane = lane_of_span[spans.span_of_word]
        counts = torch.bincount(spans.position)
        begin = counts.cumsum(0) - counts
        place = begin[spans.position] + lane
        return cls(counts.tolist(), lane, place, _inverse(place))


def _inverse(permutation: Tensor) -> Tensor:
    inverse = torch.empty_like(permutation)
    inverse[permutation] = torch.arange(len(permutation), device=permutation.device)
    return inverse
