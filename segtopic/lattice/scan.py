"""The recursion of the paper's Eq. 4 and 5, over all spans of a batch at once.

``arcs[l - 1, e]`` is the log score of the segment of ``l`` words that *ends* with word ``e``;
``prefix[e]`` is the log of the summed scores of all segmentations of the words from the span's
start to word ``e``::

    prefix[e] = logsumexp over l of  prefix[e - l] + arcs[l - 1, e]

The suffixes are the prefixes of the mirrored text, so one function serves both. Three things make
it fast without making it inexact:

- All spans advance together (:class:`~segtopic.lattice.spans.Waves`).
- Long spans are cut into chunks that advance together too. A chunk does not know the prefixes
  before it, so it is run once from each of the ``L`` words where its first segment may start; the
  chunks are then joined one after the other. A span of ``T`` words takes ``2 sqrt(T)`` steps.
- Where no product of scores can leave the range of a double, sums and products of plain numbers
  replace ``logsumexp``. Each word's own score is taken out first, so that this is the usual case;
  the range is checked, and where the check fails the logarithms are kept.

Everything is computed in float64: a prefix grows with the span, and in float32 the posterior of a
segment in the middle of 2,000 words would be wrong by a percent.
"""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from segtopic.lattice.spans import Spans


class Algebra(NamedTuple):
    """What the recursion computes with; ``exp`` and ``log`` lead into it and out of it."""

    times: Callable[[Tensor, Tensor], Tensor]
    plus: Callable[[Tensor, Tensor], Tensor]  # over the first dimension, into the second tensor
    one: float
    zero: float
    exp: Callable[[Tensor], Tensor]
    log: Callable[[Tensor], Tensor]


def _same(values: Tensor) -> Tensor:
    return values


def _log_plus(arcs: Tensor, out: Tensor) -> Tensor:
    return torch.logsumexp(arcs, 0, out=out)


def _real_plus(arcs: Tensor, out: Tensor) -> Tensor:
    return torch.sum(arcs, 0, out=out)


LOG = Algebra(torch.add, _log_plus, 0.0, -math.inf, _same, _same)
REAL = Algebra(torch.mul, _real_plus, 1.0, 0.0, torch.exp, torch.log)

SAFE_EXPONENT = 600.0  # exp(+-600) leaves room in a double for sums of many such terms
STEP_COST = 10_000  # one step of the recursion costs as much as this many arcs


def arcs_by_end(scores: Tensor, spans: Spans) -> Tensor:
    """From ``scores[i, l - 1]``, by first word, to ``(L, N)`` by last word; -inf where none is."""
    arcs = scores.new_full(scores.shape[::-1], -math.inf)
    for back, (arc, score) in enumerate(zip(arcs, scores.unbind(1), strict=True)):
        arc[back:] = score[: max(len(score) - back, 0)]
    before_span = spans.position < torch.arange(len(arcs), device=arcs.device)[:, None]
    return arcs.masked_fill_(before_span, -math.inf)


def prefix_and_suffix(scores: Tensor, spans: Spans) -> tuple[Tensor, Tensor]:
    """The scores of everything up to each word, and of everything from each word on, ``(N,)``."""
    scores = scores.double()
    ending = arcs_by_end(scores, spans)
    starting = scores.t().masked_fill(~spans.fits(scores.shape[1]).t(), -math.inf)
    both = prefix_scores(torch.cat([ending, starting.flip(1)], dim=1), spans.mirrored)
    prefix, suffix = both.tensor_split(2)
    return prefix, suffix.flip(0)


def prefix_scores(arcs: Tensor, spans: Spans) -> Tensor:
    """``prefix`` of the module's docstring, ``(N,)``, from ``arcs``, ``(L, N)`` in float64."""
    if spans.n_words == 0:
        return arcs.new_zeros(0)
    size = _chunk_size(arcs, spans)
    relative, taken_out = _relative_to_single_words(arcs, spans)
    largest = relative.masked_fill(relative == -math.inf, 0).abs().max()
    if largest * max(size, len(arcs)) <= SAFE_EXPONENT:
        return _chunked(relative, spans, size, REAL) + taken_out
    return _chunked(arcs, spans, size, LOG)


def _chunk_size(arcs: Tensor, spans: Spans) -> int:
    """About the square root of the longest span's length, or all of it where that is no slower."""
    max_length, n_words = arcs.shape
    longest = spans.longest
    size = max(math.isqrt(longest), max_length)
    steps_saved = longest - size - longest // size
    arcs_added = n_words * max_length * (max_length - 1)
    return size if steps_saved * STEP_COST > arcs_added else longest


def _relative_to_single_words(arcs: Tensor, spans: Spans) -> tuple[Tensor, Tensor]:
    """Divide every segment by its words' own scores, so that long products stay near one.

    Returns the relative arcs and, for each word, what was thereby taken out of its prefix.
    """
    single = arcs[0].masked_fill(arcs[0] == -math.inf, 0)
    total = torch.nn.functional.pad(single.cumsum(0), (1, 0))  # (N + 1,)
    relative = arcs - total[1:]
    for length, arc in enumerate(relative, start=1):
        arc[length - 1 :] += total[: max(len(total) - length, 0)]
    return relative, total[1:] - total[spans.first_word][spans.span_of_word]


def _chunked(arcs: Tensor, spans: Spans, size: int, algebra: Algebra) -> Tensor:
    if size >= spans.longest:
        row = spans.longest - 1 - spans.position
        return algebra.log(_run(arcs, spans, 1, algebra)[row, 0, spans.waves.lane])
    chunks = spans.chunks(size)
    row = size - 1 - chunks.position
    local = algebra.log(_run(arcs, chunks, len(arcs), algebra))
    prefix = (local + _entries(local, chunks, Spans(spans.n_chunks(size)))).logsumexp(1)
    return prefix[row, chunks.waves.lane]


def _run(arcs: Tensor, chunks: Spans, entries: int, algebra: Algebra) -> Tensor:
    """The prefixes inside every chunk, for each of the words it may be entered at.

    Entry ``k`` is the segment boundary ``k`` words before the chunk. Returns ``(T, E, C)``: by
    position in the chunk (the last one first), entry, and lane of the chunk; what lies beyond a
    chunk's end is undefined.
    """
    max_length, waves = len(arcs), chunks.waves
    n_steps = len(waves.counts)
    # Step t reads the L prefixes before it and writes its own in front of them, so the rows
    # stand in the order of the arcs, one word first.
    prefixes = arcs.new_empty(n_steps + max_length, entries, chunks.n_spans)
    before = prefixes[n_steps:].fill_(algebra.zero)
    before.diagonal().fill_(algebra.one)  # (L, E, C): entry k is the boundary k words back
    arcs = algebra.exp(arcs).gather(1, waves.order.expand(max_length, -1))[:, None]
    begin = 0
    for step, count in enumerate(waves.counts):
        row = n_steps - step
        built_on = prefixes[row : row + max_length, :, :count]
        ending_here = algebra.times(built_on, arcs[:, :, begin : begin + count])
        algebra.plus(ending_here, prefixes[row - 1, :, :count])
        begin += count
    return prefixes[:n_steps]


def _entries(local: Tensor, chunks: Spans, chunks_of_span: Spans) -> Tensor:
    """The prefixes at each chunk's entries, ``(E, C)``: the chunks of a span one after another."""
    entries, waves = local.shape[1], chunks_of_span.waves
    lane = chunks.waves.lane[chunks.first_word[waves.order]]  # (C,), by place in the waves
    back = torch.arange(entries, device=local.device)[:, None]
    # From each chunk's entry k to the boundary m words before its end. (A chunk shorter than m is
    # the last of its span, and nothing is read from it.)
    end = len(local) - chunks.lengths[waves.order]
    leaving = local[(end + back).clamp(max=len(local) - 1), :, lane]  # (m, C, k)
    leaving = leaving.permute(2, 0, 1).contiguous()  # (k, m, C)
    entry = local.new_full((entries, waves.counts[0]), -math.inf)
    entry[0] = 0
    all_entries, begin = [entry], 0
    for count, next_count in pairwise(waves.counts):
        step = leaving[:, :, begin : begin + next_count]
        entry = (entry[:, None, :next_count] + step).logsumexp(0)
        all_entries.append(entry)
        begin += count
    by_lane = torch.empty_like(local[0])
    by_lane[:, lane] = torch.cat(all_entries, dim=1)
    return by_lane
