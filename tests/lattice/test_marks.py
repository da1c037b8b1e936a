"""Marks against adding up whole segmentations, and against trying every set of marks."""

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from segtopic.lattice import (
    Spans,
    best_marks,
    best_threshold,
    core_posteriors,
    segment_posteriors,
    together_probabilities,
)
from tests import oracle
from tests.lattice.batches import batches, span_scores


def core(first, length, unmarked):
    """A segment without the unmarked words at both ends, as a place, or nothing."""
    words = list(range(first, first + length))
    while words and unmarked[words[0]]:
        words.pop(0)
    while words and unmarked[words[-1]]:
        words.pop()
    return (words[0], len(words)) if words else None


def by_enumeration(scores, spans, unmarked, exact):
    """Probabilities of all marks, from the probability of every segmentation of every span."""
    expected = torch.zeros(spans.n_words, scores.shape[1], dtype=torch.float64)
    begin = 0
    for own in span_scores(scores, spans):
        for lengths, probability in oracle.probabilities(own).items():
            place = begin
            for length in lengths:
                if exact:
                    found = core(place, length, unmarked)
                    places = [found] if found else []
                else:
                    places = [
                        (a, b - a + 1)
                        for a in range(place, place + length)
                        for b in range(a, place + length)
                        if not unmarked[a] and not unmarked[b]
                    ]
                for first, size in places:
                    expected[first, size - 1] += probability
                place += length
        begin += len(own)
    return expected


@st.composite
def with_unmarked(draw):
    scores, spans = draw(batches(max_words=6))
    unmarked = draw(st.lists(st.booleans(), min_size=spans.n_words, max_size=spans.n_words))
    return scores, spans, unmarked


@given(with_unmarked())
def test_probabilities_are_sums_over_segmentations(batch):
    scores, spans, unmarked = batch
    posteriors = segment_posteriors(scores, spans)
    for function, exact in ((core_posteriors, True), (together_probabilities, False)):
        found = function(posteriors, spans, torch.tensor(unmarked))
        expected = by_enumeration(scores, spans, unmarked, exact)
        torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)


@given(batches(max_words=6))
def test_without_unmarked_words_cores_are_segments(batch):
    scores, spans = batch
    posteriors = segment_posteriors(scores, spans)
    nobody = torch.zeros(spans.n_words, dtype=torch.bool)
    torch.testing.assert_close(core_posteriors(posteriors, spans, nobody), posteriors)


def sets_of_marks(probabilities, spans):
    """Every set of marks that do not overlap, in one span, as lists of probabilities."""
    rows = probabilities.tolist()
    for lengths in oracle.segmentations(len(rows), len(rows[0])):
        starts = itertools.accumulate((0, *lengths))
        places = [(a, n) for a, n in zip(starts, lengths, strict=False) if n > 1]
        values = [rows[first][length - 1] for first, length in places]
        if all(value > 0 for value in values):
            yield places, values


@st.composite
def one_document(draw):
    """Posteriors of a single span, and a threshold."""
    scores, _ = draw(batches(max_words=1, forbidden=False))
    n_words = draw(st.integers(1, 7))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    spans = Spans.from_lengths([n_words])
    scores = 2 * torch.randn(n_words, scores.shape[1], generator=generator, dtype=torch.float64)
    return segment_posteriors(scores, spans), spans, draw(st.floats(0, 0.9))


@given(one_document())
def test_marks_have_the_largest_sum_above_the_threshold(drawn):
    probabilities, spans, threshold = drawn
    marks = best_marks(probabilities, spans, torch.tensor([threshold], dtype=torch.float64))
    assert (marks.probabilities > threshold).all()
    last = marks.first + marks.lengths
    assert (last[:-1] <= marks.first[1:]).all()
    gained = float((marks.probabilities - threshold).sum())
    best = max(
        sum(value - threshold for value in values)
        for _, values in sets_of_marks(probabilities, spans)
    )
    assert gained == pytest.approx(best, abs=1e-9)


@given(one_document())
def test_the_threshold_gives_the_best_expected_f1(drawn):
    probabilities, spans, _ = drawn
    expected = float(probabilities[:, 1:].sum())
    threshold = best_threshold(probabilities, spans, torch.zeros(1, dtype=torch.long), 1)
    marks = best_marks(probabilities, spans, threshold)

    def f1(values):
        return 2 * sum(values) / (len(values) + expected) if expected else 0.0

    best = max(f1(values) for _, values in sets_of_marks(probabilities, spans))
    assert f1(marks.probabilities.tolist()) == pytest.approx(best, abs=1e-9)
    assert 2 * float(threshold[0]) == pytest.approx(best, abs=1e-9)


@given(batches(max_words=6, forbidden=False, scale=2.0))
def test_groups_do_not_mix(batch):
    scores, spans = batch
    probabilities = segment_posteriors(scores, spans)
    groups = torch.arange(spans.n_spans) // 2 + 1  # the first group is empty
    n_groups = int(groups.max()) + 1
    together = best_threshold(probabilities, spans, groups, n_groups)
    assert together[0] == 0
    for group in range(1, n_groups):
        mine = (groups == group).nonzero().squeeze(1)
        words = torch.isin(spans.span_of_word, mine)
        apart = best_threshold(
            probabilities[words],
            Spans(spans.lengths[mine]),
            torch.zeros(len(mine), dtype=torch.long),
            1,
        )
        torch.testing.assert_close(together[group], apart[0])


def test_nothing_to_mark():
    spans = Spans.from_lengths([])
    nothing = torch.zeros(0, 3, dtype=torch.float64)
    unmarked = torch.zeros(0, dtype=torch.bool)
    assert core_posteriors(nothing, spans, unmarked).shape == (0, 3)
    assert together_probabilities(nothing, spans, unmarked).shape == (0, 3)
    threshold = best_threshold(nothing, spans, torch.zeros(0, dtype=torch.long), 2)
    assert threshold.tolist() == [0, 0]
    assert len(best_marks(nothing, spans, torch.zeros(0)).first) == 0
