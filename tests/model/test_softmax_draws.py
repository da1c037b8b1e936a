"""Words drawn in single precision against those of double precision."""

import pytest
import torch

from segtopic.model.blocks import BLOCK, Blocks, padded
from segtopic.model.softmax_draws import SoftmaxDraws


def drawn_in_double(hidden, weight, bias, offset, uniform):
    shares = (hidden @ weight.t() + bias + 0.5 * offset.double()).softmax(1)
    return (shares.cumsum(1) <= uniform[:, None]).sum(1)


def case(n_words, scale=0.1, n_groups=5):
    generator = torch.Generator().manual_seed(0)
    weight = scale * torch.randn(n_words, 8, generator=generator).double()
    bias = torch.randn(n_words, generator=generator).double()
    offset = torch.randn(n_groups, n_words, generator=generator)
    hidden = torch.randn(200, 8, generator=generator).double()
    group = torch.randint(n_groups, (200,), generator=generator)
    uniform = torch.rand(200, generator=generator).double()
    return (
        SoftmaxDraws(weight, bias, padded(offset), 0.5),
        weight,
        bias,
        offset,
        hidden,
        group,
        uniform,
    )


@pytest.mark.parametrize("n_words", [3, BLOCK, 5 * BLOCK + 1])
def test_words_are_those_of_double_precision(n_words):
    draws, weight, bias, offset, hidden, group, uniform = case(n_words)
    expected = drawn_in_double(hidden, weight, bias, offset[group], uniform)
    assert draws(hidden, group, uniform).tolist() == expected.tolist()
    one = torch.cat([draws(*(each[[n]] for each in (hidden, group, uniform))) for n in range(40)])
    assert one.tolist() == expected[:40].tolist()


def test_numbers_at_the_edge_of_a_word_are_drawn_in_double_precision():
    """Half of them on either side of an edge, nearer than single precision can tell."""
    draws, weight, bias, offset, hidden, group, _ = case(600)
    shares = (hidden @ weight.t() + bias + 0.5 * offset[group].double()).softmax(1)
    word = torch.arange(len(hidden)) + 100
    beyond = torch.where(torch.arange(len(hidden)) % 2 == 0, 1e-12, -1e-12)
    edge = shares.cumsum(1).gather(1, word[:, None]).squeeze(1) + beyond
    assert draws(hidden, group, edge).tolist() == (word + (beyond > 0)).tolist()


def test_logits_too_large_for_single_precision():
    draws, weight, bias, offset, hidden, group, uniform = case(300, scale=100)
    expected = drawn_in_double(hidden, weight, bias, offset[group], uniform)
    assert draws(hidden, group, uniform).tolist() == expected.tolist()


def test_words_without_weight_are_never_found():
    weights = torch.zeros(2, 300)
    weights[0, 299], weights[1, [5, 140]] = 1, 0.5
    rows = torch.tensor([0, 0, 1, 1])
    uniform = torch.tensor([0.0, 1 - 2**-53, 0.0, 1 - 2**-53], dtype=torch.float64)
    assert Blocks(padded(weights), 300).find(rows, uniform).word.tolist() == [299, 299, 5, 140]
