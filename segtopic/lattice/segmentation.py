"""Given segmentations: their form, their score, and the path that back-pointers describe.

A segmentation is a boolean vector ``ends``, ``(N,)``: true where a segment ends after the word.
"""

import math

import torch
from torch import Tensor

from segtopic.lattice.partition import check_scores
from segtopic.lattice.spans import Spans


def segment_lengths(ends: Tensor, spans: Spans) -> Tensor:
    """Words in each segment, in order of the text.

    >>> spans = Spans.from_lengths([3, 1])
    >>> segment_lengths(torch.tensor([False, True, True, True]), spans).tolist()
    [2, 1, 1]
    """
    if ends.shape != (spans.n_words,) or ends.dtype != torch.bool:
        raise ValueError(
            f"a segmentation is a boolean vector over the {spans.n_words} words, "
            f"got {ends.dtype} of shape {tuple(ends.shape)}"
        )
    if not ends[spans.last_word].all():
        raise ValueError("every span's last word must end a segment")
    last = ends.nonzero().squeeze(1)
    return torch.diff(last, prepend=last.new_full((1,), -1))


def segmentation_score(scores: Tensor, spans: Spans, ends: Tensor) -> Tensor:
    """``(S,)``: the log score of one segmentation of each span, differentiable.

    A segment of more than ``L`` words is impossible and makes its span minus infinity.
    """
    check_scores(scores, spans)
    lengths = segment_lengths(ends, spans)
    first = ends.nonzero().squeeze(1) - lengths + 1
    max_length = scores.shape[1]
    chosen = scores[first, lengths.clamp(max=max_length) - 1]
    chosen = chosen.masked_fill(lengths > max_length, -math.inf)
    total = scores.new_zeros(spans.n_spans)
    return total.index_add(0, spans.span_of_word[first], chosen)


def trace_back(lengths: Tensor, ranks: Tensor, spans: Spans) -> Tensor:
    """Follow back-pointers from every span's end to its start.

    Args:
        lengths: ``(R, N)``; on path ``r``, the last segment up to word ``i`` has this many words.
        ranks: ``(R, N)``; and what stands before that segment continues on this path.

    Returns:
        ``(R, N)`` the segmentations ``ends`` that start on each of the ``R`` paths.
    """
    n_paths = len(lengths)
    ends = torch.zeros(n_paths, spans.n_words, dtype=torch.bool, device=lengths.device)
    path = torch.arange(n_paths, device=lengths.device).repeat_interleave(spans.n_spans)
    rank, word = path, spans.last_word.repeat(n_paths)
    first = spans.first_word.repeat(n_paths)
    while len(word):
        ends[path, word] = True
        length, rank = lengths[rank, word], ranks[rank, word]
        word = word - length
        inside = word >= first
        path, rank, word, first = path[inside], rank[inside], word[inside], first[inside]
    return ends
