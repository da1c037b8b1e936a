import math
from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from segtopic.lattice import (
    Spans,
    constrain,
    k_best,
    log_partition,
    sample_segmentations,
    segmentation_score,
    viterbi,
)
from tests import oracle
from tests.lattice.batches import batches, span_scores


def split(ends, spans):
    return [oracle.lengths_of(part.tolist()) for part in ends.split(spans.lengths.tolist())]


@given(batches())
def test_viterbi_is_the_best_of_all(batch):
    scores, spans = batch
    best = viterbi(scores, spans)
    paths = [oracle.all_paths(s) for s in span_scores(scores, spans)]
    expected = torch.stack([max(p.values()) for p in paths])
    torch.testing.assert_close(best.scores, expected, rtol=1e-12, atol=1e-9)
    for path, lengths, score in zip(paths, split(best.ends, spans), expected, strict=True):
        if score == -math.inf:
            assert lengths == ()
        else:
            torch.testing.assert_close(path[lengths], score, rtol=1e-12, atol=1e-9)


@given(batches(forbidden=False))
def test_viterbi_scores_its_own_path_and_is_at_most_the_total(batch):
    scores, spans = batch
    best = viterbi(scores, spans)
    own = segmentation_score(scores, spans, best.ends)
    torch.testing.assert_close(own, best.scores, rtol=1e-12, atol=1e-9)
    assert (best.scores <= log_partition(scores, spans) + 1e-9).all()


@given(batches(max_words=6), st.integers(1, 12))
def test_k_best_are_the_first_k_of_the_sorted_list(batch, k):
    scores, spans = batch
    best = k_best(scores, spans, k)
    assert best.scores.shape == (k, spans.n_spans)
    for s, one_span in enumerate(span_scores(scores, spans)):
        paths = {p: float(v) for p, v in oracle.all_paths(one_span).items() if v > -math.inf}
        expected = sorted(paths.values(), reverse=True)[:k]
        found = best.scores[:, s].tolist()
        assert found[: len(expected)] == pytest.approx(expected, rel=1e-12, abs=1e-9)
        assert found[len(expected) :] == [-math.inf] * (k - len(expected))
        chosen = [split(ends, spans)[s] for ends in best.ends]
        assert len(set(chosen[: len(expected)])) == len(expected)  # all different
        assert [paths[c] for c in chosen[: len(expected)]] == pytest.approx(
            expected, rel=1e-12, abs=1e-9
        )
        assert all(c == () for c in chosen[len(expected) :])


def test_k_must_be_positive():
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        k_best(torch.zeros(1, 1), Spans.from_lengths([1]), 0)


def test_samples_follow_the_posterior():
    generator = torch.Generator().manual_seed(3)
    spans = Spans.from_lengths([4, 1, 3])
    scores = torch.randn(8, 3, generator=generator, dtype=torch.float64)
    scores[5, 0] = -math.inf
    n_samples = 20_000
    samples = sample_segmentations(scores, spans, n_samples, generator)
    for s, one_span in enumerate(span_scores(scores, spans)):
        words = spans.span_of_word == s
        counts = Counter(oracle.lengths_of(row) for row in samples[:, words].tolist())
        expected = oracle.probabilities(one_span)
        assert sum(counts.values()) == n_samples
        for lengths, probability in expected.items():
            # Five standard deviations of a binomial share.
            tolerance = 5 * math.sqrt(probability * (1 - probability) / n_samples) + 1e-9
            assert counts[lengths] / n_samples == pytest.approx(probability, abs=tolerance)


@given(batches())
def test_every_sample_is_possible_and_seeded(batch):
    scores, spans = batch
    draw = [
        sample_segmentations(scores, spans, 5, torch.Generator().manual_seed(7)) for _ in range(2)
    ]
    assert torch.equal(*draw)
    paths = [oracle.probabilities(s) for s in span_scores(scores, spans)]
    for ends in draw[0]:
        for possible, lengths in zip(paths, split(ends, spans), strict=True):
            assert lengths in possible if possible else lengths == ()


def test_sampling_in_a_long_span_agrees_with_its_boundaries():
    generator = torch.Generator().manual_seed(5)
    spans = Spans.from_lengths([2000])
    scores = -5 * torch.rand(2000, 3, generator=generator)
    samples = sample_segmentations(scores, spans, 400, generator)
    assert samples[:, -1].all()
    longest_gap = max(max(oracle.lengths_of(row)) for row in samples.tolist())
    assert longest_gap <= 3


@given(batches(max_words=6), st.integers(0, 2**31))
def test_constraints_leave_exactly_the_segmentations_that_obey(batch, seed):
    scores, spans = batch
    generator = torch.Generator().manual_seed(seed)
    forced = torch.rand(spans.n_words, generator=generator) < 0.2
    forbidden = torch.rand(spans.n_words, generator=generator) < 0.2
    constrained = constrain(scores, spans, forced=forced, forbidden=forbidden)
    total = log_partition(constrained, spans)
    parts = [t.split(spans.lengths.tolist()) for t in (forced, forbidden)]
    for s, one_span in enumerate(span_scores(scores, spans)):
        must, must_not = parts[0][s], parts[1][s]
        allowed = [
            score
            for lengths, score in oracle.all_paths(one_span).items()
            for ends in [torch.tensor(oracle.ends_of(lengths))]
            if ends[must].all() and not ends[must_not].any()
        ]
        expected = torch.stack(allowed).logsumexp(0) if allowed else torch.tensor(-math.inf)
        torch.testing.assert_close(total[s], expected.double(), rtol=1e-12, atol=1e-9)


def test_contradicting_constraints_have_no_nan_gradient():
    spans = Spans.from_lengths([3])
    scores = torch.zeros(3, 2, requires_grad=True)
    forbidden = torch.tensor([True, True, False])  # three words joined, but two fit at most
    total = log_partition(constrain(scores, spans, forbidden=forbidden), spans)
    total.sum().backward()
    assert total.item() == -math.inf
    assert scores.grad.eq(0).all()


def test_masks_of_the_wrong_form_are_refused():
    scores, spans = torch.zeros(3, 2), Spans.from_lengths([3])
    with pytest.raises(ValueError, match="forced must be a boolean vector over the 3 words"):
        constrain(scores, spans, forced=torch.zeros(3))
    with pytest.raises(ValueError, match=r"forbidden .* shape \(2,\)"):
        constrain(scores, spans, forbidden=torch.zeros(2, dtype=torch.bool))
