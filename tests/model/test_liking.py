"""Counts times likes, summed bag by bag for all documents: against the definition."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from segtopic.model.liking import Liking

D, V = 3, 5


def bags(sizes, seed):
    generator = torch.Generator().manual_seed(seed)
    n_words = sum(sizes)
    words = torch.randint(V, (n_words,), generator=generator)
    counts = torch.randint(1, 9, (n_words,), generator=generator)
    begins = torch.tensor([0, *sizes]).cumsum(0)[:-1]
    ratios = torch.randn(D, V, generator=generator, dtype=torch.float64)
    return ratios, words, counts, begins


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6), st.integers(0, 99))
def test_sums_are_those_of_the_definition(sizes, seed):
    ratios, words, counts, begins = bags(sizes, seed)
    liking = Liking(ratios, torch.tensor(0.7, dtype=torch.float64))
    discount = torch.tensor(0.4, dtype=torch.float64)
    expected = torch.zeros(len(sizes), D, dtype=torch.float64)
    for bag, (begin, size) in enumerate(zip(begins.tolist(), sizes, strict=True)):
        for place in range(begin, begin + size):
            likes = (0.7 * ratios[:, words[place]]).exp()
            expected[bag] += (counts[place] - 0.4) * likes
    torch.testing.assert_close(liking.summed(words, counts, discount, begins), expected)


def test_gradients_of_power_and_discount():
    ratios, words, counts, begins = bags([3, 0, 4, 1], 0)

    def summed(power, discount):
        return Liking(ratios, power).summed(words, counts, discount, begins)

    given = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in (0.7, 0.4)]
    assert torch.autograd.gradcheck(summed, given)
