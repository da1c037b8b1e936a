"""Which phrases to mark: posteriors of segments in, phrases that do not overlap out.

A mark is a run of two or more words of a span. Its probability is a sum of segment posteriors:
that a segment is exactly these words (:func:`core_posteriors`; words at the ends of segments that
nobody marks, such as stop words, may be taken off first), or that no segment ends among them
(:func:`together_probabilities`). Marks are chosen so that the sum of what their probabilities have
above a threshold is largest; :func:`best_threshold` gives the threshold with the best expected F1.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from segtopic.lattice.decode import viterbi
from segtopic.lattice.partition import check_scores
from segtopic.lattice.segmentation import segment_lengths
from segtopic.lattice.spans import Spans

MOST_ROUNDS = 50  # each but the last makes some group's F1 better; a handful is the rule


class Marks(NamedTuple):
    """Marked phrases, in the order of the words, ``(M,)`` each."""

    first: Tensor
    lengths: Tensor
    probabilities: Tensor


def core_posteriors(posteriors: Tensor, spans: Spans, unmarked: Tensor) -> Tensor:
    """``(N, L)``: the probability that ``l`` words from word ``i`` on are the core of a segment.

    The core is what is left of a segment without the unmarked words at both its ends.

    Args:
        posteriors: ``(N, L)`` of the segments.
        spans: which words belong together.
        unmarked: ``(N,)`` words that neither begin nor end a mark.

    >>> spans = Spans.from_lengths([3])  # the stock market
    >>> posteriors = torch.tensor([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    >>> core_posteriors(posteriors, spans, torch.tensor([True, False, False]))[1].tolist()
    [0.0, 1.0, 0.0]
    """
    check_scores(posteriors, spans)
    longest = posteriors.shape[1]
    cores = posteriors.clone()
    for length in range(longest, 1, -1):  # take a word off the end of segments, longest first
        last = torch.arange(spans.n_words) + length - 1
        ends = unmarked[last.clamp(max=max(spans.n_words - 1, 0))]
        cores[:, length - 2] += cores[:, length - 1].masked_fill(~ends, 0)
        cores[:, length - 1] = cores[:, length - 1].masked_fill(ends, 0)
    for length in range(longest, 1, -1):  # and off the beginning
        moved = cores[:, length - 1].masked_fill(~unmarked, 0)
        cores[1:, length - 2] += moved[:-1]
        cores[:, length - 1] -= moved
    return cores.masked_fill(unmarked[:, None], 0)


def together_probabilities(posteriors: Tensor, spans: Spans, unmarked: Tensor) -> Tensor:
    """``(N, L)``: the probability that one segment holds the ``l`` words from word ``i`` on.

    Zero for what begins or ends with an unmarked word.
    """
    check_scores(posteriors, spans)
    n_words, longest = posteriors.shape
    together = torch.zeros_like(posteriors)
    for length in range(1, longest + 1):
        for before in range(longest - length + 1):  # words of the segment before the phrase
            reaching = posteriors[:, before + length - 1 :].sum(1)
            together[before:, length - 1] += reaching[: max(n_words - before, 0)]
    # A segment of another span never reaches over, but the phrase must end in its own.
    last = (torch.arange(n_words)[:, None] + torch.arange(longest)).clamp(max=max(n_words - 1, 0))
    impossible = ~spans.fits(longest) | unmarked[:, None] | unmarked[last]
    return together.masked_fill(impossible, 0)


@torch.no_grad()
def best_marks(
    probabilities: Tensor, spans: Spans, thresholds: Tensor, together: Tensor | None = None
) -> Marks:
    """The marks that do not overlap with the largest sum of ``probability - threshold``.

    Args:
        probabilities: ``(N, L)`` of the marks; the first column, single words, does not count.
        spans: which words belong together.
        thresholds: ``(S,)``, between 0 and 1; no mark is less probable than its span's.
        together: ``(N,)`` true where one mark must hold a word and the next; it may then be less
            probable. Marks that hold one of the two must be impossible.
    """
    check_scores(probabilities, spans)
    values = probabilities.double() - thresholds[spans.span_of_word, None]
    if together is not None:
        values += _inside(together, probabilities.shape[1])
    values = values.masked_fill((values <= 0) | (probabilities <= 0), -math.inf)
    values[:, 0] = 0  # a word that is not marked
    ends = viterbi(values, spans).ends
    lengths = segment_lengths(ends, spans)
    first = ends.nonzero().squeeze(1) - lengths + 1
    several = lengths > 1
    first, lengths = first[several], lengths[several]
    return Marks(first, lengths, probabilities[first, lengths - 1])


def _inside(places: Tensor, longest: int) -> Tensor:
    """``(N, L)``: of ``l`` words from word ``i`` on, after how many but the last is a place."""
    before = places.long().cumsum(0) - places.long()
    last = torch.arange(len(places))[:, None] + torch.arange(longest)
    return before[last.clamp(max=max(len(places) - 1, 0))] - before[:, None]


@torch.no_grad()
def best_threshold(
    probabilities: Tensor, spans: Spans, group_of_span: Tensor, n_groups: int
) -> Tensor:
    """``(G,)``: for each group of spans, such as a document, the threshold that is best for F1.

    With ``E`` phrases expected, marks of probabilities ``p_1 .. p_m`` have the expected F1
    ``2 (p_1 + .. + p_m) / (m + E)``, to the first order. One more mark makes it better if its
    probability is above half of it. So the threshold is half the best F1; it is found by marking
    with one threshold after the other, each half the F1 of the marks before (Dinkelbach's method).

    Args:
        probabilities: ``(N, L)``, as from :func:`core_posteriors`.
        spans: which words belong together.
        group_of_span: ``(S,)``.
        n_groups: some may have no spans; their threshold is 0.
    """
    check_scores(probabilities, spans)
    probabilities = probabilities.double()
    group_of_word = group_of_span[spans.span_of_word]
    expected = probabilities.new_zeros(n_groups)
    expected = expected.index_add(0, group_of_word, probabilities[:, 1:].sum(1))
    threshold = torch.zeros_like(expected)
    for _ in range(MOST_ROUNDS):
        marks = best_marks(probabilities, spans, threshold[group_of_span])
        group = group_of_word[marks.first]
        right = torch.zeros_like(expected).index_add(0, group, marks.probabilities)
        found = torch.bincount(group, minlength=n_groups)
        better = right / (found + expected).clamp(min=1e-300)
        if not (better > threshold).any():
            break
        threshold = torch.maximum(threshold, better)
    return threshold
