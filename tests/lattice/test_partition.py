import doctest
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import segtopic.lattice
from segtopic.lattice import Spans, log_partition, scan, segmentation, segmentation_score, spans
from tests import oracle
from tests.lattice.batches import batches, span_scores


@pytest.mark.parametrize("module", [segtopic.lattice, spans, segmentation])
def test_docstring_examples(module):
    results = doctest.testmod(module, extraglobs={"torch": torch})
    assert results.attempted > 0
    assert results.failed == 0


@given(batches())
def test_equals_enumeration(batch):
    scores, spans = batch
    expected = torch.stack([oracle.log_partition(s) for s in span_scores(scores, spans)])
    torch.testing.assert_close(log_partition(scores, spans), expected, rtol=1e-12, atol=1e-9)


@given(batches())
def test_gradient_equals_the_enumerated_posterior(batch):
    scores, spans = batch
    scores.requires_grad_()
    weights = torch.arange(1.0, spans.n_spans + 1, dtype=torch.float64)
    total = log_partition(scores, spans)
    (weights * total).masked_fill(total == -math.inf, 0).sum().backward()
    expected = [oracle.posteriors(s) for s in span_scores(scores.detach(), spans)]
    expected = torch.cat(expected) * weights[spans.span_of_word, None]
    torch.testing.assert_close(scores.grad, expected, rtol=1e-9, atol=1e-9)


@given(batches(max_words=5, forbidden=False, scale=2.0))
def test_gradcheck(batch):
    scores, spans = batch
    scores = scores.nan_to_num(0.0).requires_grad_()
    assert torch.autograd.gradcheck(lambda s: log_partition(s, spans), (scores,))


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_zero_scores_count_the_segmentations(n):
    scores = torch.zeros(n, n, dtype=torch.float64)
    total = log_partition(scores, Spans.from_lengths([n]))
    assert total.item() == pytest.approx((n - 1) * math.log(2), abs=1e-12)


@given(batches())
def test_a_batch_is_the_same_as_its_spans_alone(batch):
    scores, spans = batch
    alone = [log_partition(s, Spans.from_lengths([len(s)])) for s in span_scores(scores, spans)]
    torch.testing.assert_close(log_partition(scores, spans), torch.cat(alone), rtol=0, atol=1e-9)


@given(batches(forbidden=False, scale=3.0))
def test_whatever_lies_beyond_a_span_changes_neither_value_nor_gradient(batch):
    scores, spans = batch
    outside = ~spans.fits(scores.shape[1])
    results = []
    for value in (0.0, -math.inf, math.inf, math.nan):
        filled = scores.masked_fill(outside, value).requires_grad_()
        total = log_partition(filled, spans)
        total.sum().backward()
        results.append((total.detach(), filled.grad))
    for total, gradient in results[1:]:
        assert torch.equal(total, results[0][0])
        assert torch.equal(gradient, results[0][1])


LONG = st.tuples(
    st.lists(st.integers(1, 300), min_size=1, max_size=4),
    st.integers(1, 6),
    st.sampled_from([1.0, 10.0, 200.0]),
    st.booleans(),
    st.integers(0, 2**31),
)


@given(LONG)
def test_long_spans_in_chunks_equal_the_plain_recursion(case):
    lengths, max_length, scale, holes, seed = case
    generator = torch.Generator().manual_seed(seed)
    spans = Spans.from_lengths([*lengths, 300])
    scores = -scale * torch.rand(
        spans.n_words, max_length, generator=generator, dtype=torch.float64
    )
    if holes:
        scores[torch.rand(scores.shape, generator=generator) < 0.2] = -math.inf
    assert scan._chunk_size(scores.t(), spans) < 300  # the chunked way is the one tested
    totals, posteriors = zip(
        *[oracle.plain_recursion(s) for s in span_scores(scores, spans)], strict=True
    )
    scores.requires_grad_()
    total = log_partition(scores, spans)
    expected = torch.tensor(totals, dtype=torch.float64)
    torch.testing.assert_close(total, expected, rtol=1e-12, atol=1e-9)
    total.sum().backward()
    torch.testing.assert_close(scores.grad, torch.cat(posteriors), rtol=1e-7, atol=1e-9)


def test_a_span_of_ten_thousand_words_in_float32_has_sound_posteriors():
    generator = torch.Generator().manual_seed(1)
    spans = Spans.from_lengths([10_000, 3])
    scores = (-10 * torch.rand(spans.n_words, 3, generator=generator)).requires_grad_()
    log_partition(scores, spans).sum().backward()
    exact = scores.detach().double().requires_grad_()
    log_partition(exact, spans).sum().backward()
    torch.testing.assert_close(scores.grad.double(), exact.grad, rtol=1e-6, atol=1e-7)
    # Every word lies in exactly one segment.
    sizes = torch.arange(1, 4)
    assert (exact.grad * sizes).sum().item() == pytest.approx(spans.n_words, abs=1e-6)


def test_impossible_spans_are_minus_infinity_with_a_zero_gradient():
    spans = Spans.from_lengths([2, 3, 1])
    scores = torch.zeros(6, 2, dtype=torch.float64)
    scores[3] = -math.inf  # no segment starts at the second span's second word ...
    scores[2, 1] = -math.inf  # ... and none passes over it
    scores.requires_grad_()
    total = log_partition(scores, spans)
    assert total.tolist() == [math.log(2), -math.inf, 0.0]
    total.sum().backward()
    assert not scores.grad.isnan().any()
    assert scores.grad[2:5].eq(0).all()
    assert scores.grad[0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_results_keep_the_dtype_and_the_callers_tensors(dtype):
    spans = Spans.from_lengths([3, 70])
    scores = torch.randn(73, 3).to(dtype)
    before, lengths = scores.clone(), spans.lengths.clone()
    scores.requires_grad_()
    total = log_partition(scores, spans)
    total.sum().backward()
    assert total.dtype == scores.grad.dtype == dtype
    assert torch.equal(scores.detach(), before)
    assert torch.equal(spans.lengths, lengths)


def test_no_spans_at_all():
    scores = torch.zeros(0, 3, requires_grad=True)
    total = log_partition(scores, Spans.from_lengths([]))
    total.sum().backward()
    assert total.shape == (0,)
    assert scores.grad.shape == (0, 3)


def test_differentiating_twice_is_a_clear_error():
    scores = torch.zeros(2, 2, requires_grad=True)
    total = log_partition(scores, Spans.from_lengths([2]))
    with pytest.raises(RuntimeError, match="cannot be differentiated twice"):
        torch.autograd.grad(total.sum(), scores, create_graph=True)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (torch.zeros(4, 2), r"\(3, L\) with L >= 1, got \(4, 2\)"),
        (torch.zeros(3, 0), r"got \(3, 0\)"),
        (torch.zeros(3), r"got \(3,\)"),
        (torch.zeros(3, 2, dtype=torch.long), "floating-point numbers, got torch.int64"),
    ],
)
def test_wrong_scores_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        log_partition(scores, Spans.from_lengths([2, 1]))


@given(batches(forbidden=False))
def test_the_score_of_a_segmentation(batch):
    scores, spans = batch
    for lengths_and_score in zip(
        *[list(oracle.all_paths(s).items()) for s in span_scores(scores, spans)], strict=False
    ):
        ends = torch.tensor(
            [e for lengths, _ in lengths_and_score for e in oracle.ends_of(lengths)]
        )
        expected = torch.stack([score for _, score in lengths_and_score])
        torch.testing.assert_close(segmentation_score(scores, spans, ends), expected)


def test_a_segment_longer_than_allowed_scores_minus_infinity():
    spans = Spans.from_lengths([3, 1])
    ends = torch.tensor([False, False, True, True])
    assert segmentation_score(torch.zeros(4, 2), spans, ends).tolist() == [-math.inf, 0.0]


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ([True, False, True], "last word must end a segment"),
        ([True, True], r"3 words, got torch.bool of shape \(2,\)"),
        ([1, 1, 1], "got torch.int64"),
    ],
)
def test_what_is_not_a_segmentation_is_refused(ends, message):
    with pytest.raises(ValueError, match=message):
        segmentation_score(torch.zeros(3, 2), Spans.from_lengths([2, 1]), torch.tensor(ends))
