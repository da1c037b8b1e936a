"""Words drawn by blocks, against sums over all words."""

import pytest
import torch

from segtopic.model.blocks import BLOCK, Blocks, padded


@pytest.mark.parametrize("n_words", [1, 3, BLOCK, 5 * BLOCK + 1])
def test_words_are_those_of_sums_over_all(n_words):
    generator = torch.Generator().manual_seed(0)
    weights = torch.rand(4, n_words, generator=generator).double()
    row = torch.randint(4, (300,), generator=generator)
    uniform = torch.rand(300, generator=generator).double()
    sums = weights.cumsum(1)[row]
    expected = (sums <= uniform[:, None] * sums[:, -1:]).sum(1)
    assert Blocks(padded(weights), n_words).find(row, uniform).tolist() == expected.tolist()


def test_words_without_weight_are_never_found():
    weights = torch.zeros(2, 300)
    weights[0, 299], weights[1, [5, 140]] = 1, 0.5
    rows = torch.tensor([0, 0, 1, 1])
    uniform = torch.tensor([0.0, 1 - 2**-53, 0.0, 1 - 2**-53], dtype=torch.float64)
    assert Blocks(padded(weights), 300).find(rows, uniform).tolist() == [299, 299, 5, 140]
