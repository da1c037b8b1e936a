"""Sums over the vocabulary where nothing is learned: group by group, and perhaps in single."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from segtopic.model import softmax
from segtopic.model.softmax import SharedOffset, log_softmax_at

WORDS, WIDTH = 30, 5


def made(group, seed, scale=1.0):
    """Rows of these groups, and two words of each."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, dtype=torch.float64, generator=generator)

    row = torch.arange(len(group)).repeat(2)
    word = torch.randint(WORDS, (len(row),), generator=generator)
    offset = SharedOffset(3 * normal(4, WORDS), torch.tensor(group, dtype=torch.long))
    return scale * normal(len(group), WIDTH), normal(WORDS, WIDTH), normal(WORDS), row, word, offset


def naive(hidden, weight, bias, row, word, offset):
    logits = hidden @ weight.t() + bias + offset.logits[offset.group]
    return logits.log_softmax(1)[row, word]


@given(group=st.lists(st.integers(0, 3), max_size=9), seed=st.integers(0, 99))
def test_sums_equal_the_whole_softmax(group, seed):
    arguments = made(group, seed)
    with torch.no_grad():
        found = log_softmax_at(*arguments)
        single = log_softmax_at(*arguments, single_sums=True)
    torch.testing.assert_close(found, naive(*arguments), rtol=0, atol=1e-12)
    torch.testing.assert_close(single, found, rtol=0, atol=1e-5)
    assert single.dtype == torch.float64


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_tiles_change_nothing(monkeypatch, rows):
    arguments = made([2, 0, 2, 2, 1, 2, 0], seed=1)
    monkeypatch.setattr(softmax, "SMALLEST_TILE", rows)
    with torch.no_grad():
        found = log_softmax_at(*arguments)
    torch.testing.assert_close(found, naive(*arguments), rtol=0, atol=1e-12)


@pytest.mark.parametrize("single", [False, True])
def test_rows_of_other_groups_do_not_change_a_bit(single):
    hidden, weight, bias, _, _, offset = made([0, 1, 0, 2, 1, 1, 3, 0], seed=2)
    with torch.no_grad():
        row, word = torch.arange(8), torch.arange(8)
        whole = log_softmax_at(hidden, weight, bias, row, word, offset, single)
        for number in range(4):
            own = (offset.group == number).nonzero().squeeze(1)
            alone = SharedOffset(offset.logits, offset.group[own])
            rows = torch.arange(len(own))
            found = log_softmax_at(hidden[own], weight, bias, rows, word[own], alone, single)
            assert torch.equal(found, whole[own])


@pytest.mark.parametrize("single", [False, True])
def test_products_that_would_overflow_are_brought_near_zero(single):
    arguments = made([0, 1, 3], seed=3, scale=200.0)
    with torch.no_grad():
        found = log_softmax_at(*arguments, single_sums=single)
    torch.testing.assert_close(found, naive(*arguments), rtol=1e-12, atol=1e-9)


def test_what_is_learned_is_never_single():
    arguments = made([0, 1, 3], seed=4)
    arguments[0].requires_grad_()
    found = log_softmax_at(*arguments, single_sums=True)
    torch.testing.assert_close(found, naive(*arguments), rtol=0, atol=1e-12)
    found.sum().backward()
    assert arguments[0].grad is not None
