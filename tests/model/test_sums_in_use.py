"""Sums over the vocabulary where nothing is learned: group by group, and perhaps in single."""

import pytest
import torch
from hypothesis import given, settings
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
    monkeypatch.setattr(softmax, "TILE_ROWS", rows)
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


@given(sizes=st.lists(st.integers(0, 150), min_size=1, max_size=9), seed=st.integers(0, 9))
@settings(max_examples=20)
def test_large_groups_do_not_depend_on_the_others(sizes, seed):
    """Wherever their rows stand in a tile, and whatever stands beside them."""
    generator = torch.Generator().manual_seed(seed)
    group = torch.repeat_interleave(torch.tensor(sizes))
    hidden = 0.1 * torch.randn(len(group), 64, generator=generator).double()
    weight = torch.randn(777, 64, generator=generator).double()
    logits = torch.randn(len(sizes), 777, generator=generator).double()
    bias, words = torch.zeros(777).double(), torch.arange(len(group)) % 777
    with torch.no_grad():
        arguments = hidden, weight, bias, torch.arange(len(group)), words
        whole = log_softmax_at(*arguments, SharedOffset(logits, group, 0.7), single_sums=True)
        for number in range(len(sizes)):
            own = group == number
            row, shared = torch.arange(sizes[number]), SharedOffset(logits, group[own], 0.7)
            arguments = hidden[own], weight, bias, row, words[own]
            assert torch.equal(log_softmax_at(*arguments, shared, single_sums=True), whole[own])


def test_a_weight_that_changes_is_noticed():
    arguments = made([0, 1, 3], seed=5)
    with torch.no_grad():
        log_softmax_at(*arguments)
        arguments[1].mul_(-1)
        torch.testing.assert_close(log_softmax_at(*arguments), naive(*arguments))
        log_softmax_at(*arguments, single_sums=True)
        found = log_softmax_at(*arguments)
    torch.testing.assert_close(found, naive(*arguments), rtol=0, atol=1e-12)


@pytest.mark.parametrize("optimiser", [{"fused": True}, {"foreach": True}, {}])
def test_a_weight_that_an_optimiser_changes_is_noticed(optimiser):
    """A fused one does not count its changes in the weight's version."""
    hidden, weight, *rest = made([0, 1, 3], seed=6)
    weight.requires_grad_()
    steps = torch.optim.AdamW([weight], lr=0.1, **optimiser)
    for _ in range(2):
        with torch.no_grad():
            found = log_softmax_at(hidden, weight, *rest)
            torch.testing.assert_close(found, naive(hidden, weight, *rest), rtol=0, atol=1e-12)
        weight.grad = torch.ones_like(weight)
        weight.grad[::2] *= -1
        steps.step()


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
