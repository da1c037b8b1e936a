import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from segtopic.lattice import Spans

LENGTHS = st.lists(st.integers(1, 9), min_size=1, max_size=12)


@given(LENGTHS)
def test_pack_and_pad_are_inverse(lengths):
    spans = Spans.from_lengths(lengths)
    packed = torch.randn(spans.n_words, 2)
    padded = spans.pad(packed, float("nan"))
    assert padded.shape == (len(lengths), max(lengths), 2)
    assert torch.equal(spans.pack(padded), packed)
    assert padded.isnan().sum() == 2 * (len(lengths) * max(lengths) - spans.n_words)


@given(LENGTHS)
def test_waves_hold_every_word_once_in_order_of_position(lengths):
    spans = Spans.from_lengths(lengths)
    waves = spans.waves
    assert sorted(waves.order.tolist()) == list(range(spans.n_words))
    assert waves.counts == [sum(length > t for length in lengths) for t in range(max(lengths))]
    position = spans.position[waves.order]
    assert position.tolist() == sorted(position.tolist())
    begins = torch.tensor([0, *waves.counts]).cumsum(0)
    assert torch.equal(waves.place, begins[spans.position] + waves.lane)


@given(LENGTHS, st.integers(1, 5))
def test_chunks_cut_every_span(lengths, size):
    spans = Spans.from_lengths(lengths)
    pieces = spans.chunks(size).lengths.split(spans.n_chunks(size).tolist())
    assert [piece.sum().item() for piece in pieces] == lengths
    assert all((piece[:-1] == size).all() and 1 <= piece[-1] <= size for piece in pieces)


@given(LENGTHS)
def test_sums_by_span(lengths):
    spans = Spans.from_lengths(lengths)
    assert spans.sum(torch.ones(spans.n_words)).tolist() == lengths


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([2, 0], "at least one word"),
        ([-1], "at least one word"),
        ([[1]], r"shape \(1, 1\)"),
        ([1.0], "whole numbers, not torch.float32"),
    ],
)
def test_impossible_lengths_are_refused(lengths, message):
    with pytest.raises(ValueError, match=message):
        Spans.from_lengths(torch.tensor(lengths))


def test_padded_scores_that_do_not_fit_are_refused():
    spans = Spans.from_lengths([2, 3])
    with pytest.raises(ValueError, match="expected 2 spans"):
        spans.pack(torch.zeros(3, 3, 1))
    with pytest.raises(ValueError, match="longest span has 3 words, the second dimension only 2"):
        spans.pack(torch.zeros(2, 2, 1))
