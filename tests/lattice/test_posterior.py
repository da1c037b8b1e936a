import math

import pytest
import torch
from hypothesis import given

from segtopic.lattice import (
    Spans,
    boundary_probabilities,
    expected_segment_length,
    expected_segments,
    segment_posteriors,
    segmentation_entropy,
)
from tests import oracle
from tests.lattice.batches import batches, span_scores


@given(batches())
def test_posteriors_equal_enumeration(batch):
    scores, spans = batch
    expected = torch.cat([oracle.posteriors(s) for s in span_scores(scores, spans)])
    torch.testing.assert_close(segment_posteriors(scores, spans), expected, rtol=1e-9, atol=1e-9)


@given(batches(forbidden=False))
def test_the_segments_covering_a_word_sum_to_one(batch):
    scores, spans = batch
    posteriors = segment_posteriors(scores, spans)
    covering = torch.zeros(spans.n_words, dtype=torch.float64)
    for start in range(spans.n_words):
        for length in range(1, min(scores.shape[1], int(spans.remaining[start])) + 1):
            covering[start : start + length] += posteriors[start, length - 1]
    torch.testing.assert_close(covering, torch.ones_like(covering))


@given(batches())
def test_boundaries_counts_and_entropy_equal_enumeration(batch):
    scores, spans = batch
    posteriors = segment_posteriors(scores, spans)
    boundaries = boundary_probabilities(posteriors, spans).split(spans.lengths.tolist())
    counts = expected_segments(posteriors, spans)
    entropy = segmentation_entropy(scores, spans)
    for s, one_span in enumerate(span_scores(scores, spans)):
        paths = oracle.probabilities(one_span)
        at_end = torch.zeros(len(one_span), dtype=torch.float64)
        by_length = torch.zeros(one_span.shape[1], dtype=torch.float64)
        for lengths, probability in paths.items():
            at_end += probability * torch.tensor(oracle.ends_of(lengths)).double()
            for length in lengths:
                by_length[length - 1] += probability
        expected_entropy = -sum(p * math.log(p) for p in paths.values() if p > 0)
        torch.testing.assert_close(boundaries[s], at_end)
        torch.testing.assert_close(counts[s], by_length)
        assert entropy[s].item() == pytest.approx(expected_entropy, abs=1e-8)


def test_expected_length_is_words_over_segments():
    spans = Spans.from_lengths([2, 2])
    scores = torch.zeros(4, 2)
    scores[2, 1] = 100.0  # the second pair is one phrase for certain
    posteriors = segment_posteriors(scores, spans)
    segments = 0.5 * 2 + 0.5 * 1 + 1
    assert expected_segment_length(posteriors).item() == pytest.approx(4 / segments)


def test_impossible_spans_have_no_posterior():
    spans = Spans.from_lengths([1, 1])
    scores = torch.tensor([[-math.inf], [0.0]])
    assert segment_posteriors(scores, spans).tolist() == [[0.0], [1.0]]
    assert segmentation_entropy(scores, spans).tolist() == [0.0, 0.0]
