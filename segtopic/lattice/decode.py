"""Segmentations read off the lattice: the best ones, and exact samples from the posterior.

For Viterbi and k-best, the sum of Eq. 4 is replaced by a maximum.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from segtopic.lattice.partition import check_scores
from segtopic.lattice.scan import arcs_by_end, prefix_scores
from segtopic.lattice.segmentation import trace_back
from segtopic.lattice.spans import Spans


class Best(NamedTuple):
    """Segmentations and their log scores, best first.

    A span with fewer valid segmentations than asked for has the score minus infinity and no ends
    in the ranks that are left over.
    """

    scores: Tensor  # (k, S), or (S,) from viterbi
    ends: Tensor  # (k, N), or (N,)


def viterbi(scores: Tensor, spans: Spans) -> Best:
    """The most probable segmentation of each span."""
    best = k_best(scores, spans, 1)
    return Best(best.scores[0], best.ends[0])


@torch.no_grad()
def k_best(scores: Tensor, spans: Spans, k: int) -> Best:
    """The ``k`` most probable segmentations of each span, all different, best first."""
    check_scores(scores, spans)
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    max_length = scores.shape[1]
    waves = spans.waves
    arcs = arcs_by_end(scores.double(), spans)[:, waves.order]
    shape = (k, spans.n_words)
    prefix = arcs.new_empty(shape)
    length = torch.empty(shape, dtype=torch.long, device=scores.device)
    rank = torch.empty_like(length)
    # window[l - 1]: the k best prefixes that a segment of l words ending here builds on.
    window = arcs.new_full((1, k, spans.n_spans), -math.inf)
    window[:, 0] = 0
    begin = 0
    for count in waves.counts:
        wave = slice(begin, begin + count)
        reach = len(window)
        candidates = (window[:, :, :count] + arcs[:reach, None, wave]).flatten(0, 1)
        found = candidates.topk(min(k, len(candidates)), dim=0)
        best, chosen = _fill_up(found.values, k, -math.inf), _fill_up(found.indices, k, 0)
        prefix[:, wave], length[:, wave], rank[:, wave] = best, chosen // k + 1, chosen % k
        window = torch.cat([best[None], window[: max_length - 1, :, :count]])
        begin += count

    totals = prefix[:, waves.place[spans.last_word]]
    ends = trace_back(length[:, waves.place], rank[:, waves.place], spans)
    exists = (totals > -math.inf)[:, spans.span_of_word]
    return Best(totals.to(scores.dtype), ends & exists)


def _fill_up(rows: Tensor, k: int, value: float) -> Tensor:
    missing = rows.new_full((k - len(rows), rows.shape[1]), value)
    return torch.cat([rows, missing])


@torch.no_grad()
def sample_segmentations(
    scores: Tensor,
    spans: Spans,
    n_samples: int,
    generator: torch.Generator | None = None,
    uniform: Tensor | None = None,
) -> Tensor:
    """``(n_samples, N)``: independent segmentations ``ends``, each drawn with its probability.

    The random numbers, ``(n_samples, N)`` between 0 and 1, may be given as ``uniform``.

    Given that a segment ends after word ``i``, the length of that segment does not depend on what
    follows. So a length is drawn for every word at once, and the draws that lie on the path from
    the span's end to its start make the sample. Spans without a valid segmentation have no ends.
    """
    check_scores(scores, spans)
    max_length = scores.shape[1]
    arcs = arcs_by_end(scores.double(), spans)
    prefix = prefix_scores(arcs, spans)
    conditional = torch.empty_like(arcs)  # (L, N): of the last segment's length, given its end
    for back in range(max_length):
        before = torch.nn.functional.pad(prefix, (back + 1, 0))[: spans.n_words]
        before = before.masked_fill(spans.position == back, 0)
        conditional[back] = arcs[back] + before
    conditional = (conditional - prefix).exp()
    reachable = prefix > -math.inf
    conditional[:, ~reachable] = 1.0  # never on a valid path, but a draw needs a distribution
    if uniform is None:
        shape = (n_samples, spans.n_words)
        uniform = torch.rand(shape, dtype=arcs.dtype, device=arcs.device, generator=generator)
    up_to = conditional.cumsum(0)  # (L, N); its last row is one, but for rounding
    lengths = 1 + (uniform[:, None] * up_to[-1] >= up_to).sum(1)
    paths = torch.arange(n_samples, device=scores.device)
    ends = trace_back(lengths, paths[:, None].expand(n_samples, spans.n_words), spans)
    return ends & reachable[spans.last_word][spans.span_of_word]
