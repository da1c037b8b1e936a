"""What documents hold, and how they repeat it, against counting by hand."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus import Documents
from segtopic.model import pack
from segtopic.model.packing import Urn
from segtopic.model.urn import OwnPhrases, observed_urn, others_urn

V = 3
SPANS = st.lists(st.lists(st.integers(0, V - 1), min_size=1, max_size=5), max_size=4)
NESTED = st.lists(SPANS, min_size=1, max_size=3)


def batch_of(nested, max_length):
    return pack(Documents.from_lists(nested), max_length)


def starts(document):
    """Every place of a document with the words from it to the end of its span."""
    return [tuple(span[i:]) for span in document for i in range(len(span))]


def held(places, history):
    """How often each word comes after the history, at these places."""
    length = len(history)
    following = [p[length] for p in places if len(p) > length and p[:length] == history]
    return {word: following.count(word) for word in set(following)}


def check(urn, nested, places_held, max_length):
    """``places_held(document, place)`` are the places that count for one of them."""
    rows = iter(zip(*(each.tolist() for each in urn), strict=True))
    for d, document in enumerate(nested):
        for i, place in enumerate(starts(document)):
            seen, size, kinds = next(rows)
            for length in range(min(max_length, len(place) + 1)):
                counts = held(places_held(d, i), place[:length])
                assert size[length] == sum(counts.values())
                assert kinds[length] == len(counts)
                if length < len(place):
                    assert seen[length] == counts.get(place[length], 0)


@given(NESTED, st.integers(1, 3))
def test_what_stood_earlier(nested, max_length):
    batch = batch_of(nested, max_length)
    check(batch.earlier, nested, lambda d, i: starts(nested[d])[:i], max_length)


@given(NESTED, NESTED, st.integers(1, 3))
def test_what_was_observed(observed, scored, max_length):
    observed, scored = observed[: len(scored)], scored[: len(observed)]
    urn = observed_urn(batch_of(observed, max_length), batch_of(scored, max_length), V)
    check(urn, scored, lambda d, i: starts(observed[d]), max_length)


@given(NESTED, st.integers(1, 3))
def test_what_else_stands_there(nested, max_length):
    """All other places; where a span ends, its own history has nothing to leave out."""
    urn = others_urn(batch_of(nested, max_length))

    def others(d, i):
        places = starts(nested[d])
        return places[:i] + places[i + 1 :]

    check(urn, nested, others, max_length)


def random_own_phrases(max_length, seed=0):
    own = OwnPhrases(max_length).double()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        own.discount_logit.normal_(generator=generator)
        own.log_strength.normal_(generator=generator)
    return own


def test_histories_are_asked_from_their_shortest_suffix_on():
    own = random_own_phrases(3)
    seen = torch.tensor([[0, 2, 1], [0, 3, 0], [0, 0, 0]])
    size = torch.tensor([[0, 4, 2], [0, 5, 0], [0, 0, 0]])
    kinds = torch.tensor([[0, 2, 2], [0, 1, 0], [0, 0, 0]])
    steps = torch.rand(3, 3, dtype=torch.float64).log()
    ends = torch.rand(3, 3, dtype=torch.float64).log()
    words, all_ends = own(steps, ends, Urn(seen, size, kinds))
    d, s = own.discount_logit.sigmoid().tolist(), own.log_strength.exp().tolist()

    def level(base, of, column):
        place = (of, column)
        left = s[column - 1] + d[column - 1] * kinds[place].item()
        mine = max(seen[place].item() - d[column - 1], 0)
        total = s[column - 1] + size[place].item()
        return (mine + left * base) / total, left / total

    base = steps.exp()
    second, share_1 = level(base[0, 1].item(), 0, 1)
    after_suffix, share_suffix = level(base[0, 2].item(), 1, 1)
    third, share_2 = level(after_suffix, 0, 2)
    assert words[0].exp().tolist() == pytest.approx([base[0, 0].item(), second, third])
    expected = [share_1, share_suffix * share_2, 1.0]
    assert (all_ends - ends)[0].exp().tolist() == pytest.approx(expected)


def test_words_and_the_end_share_one():
    """After any history: a known next word, an unknown one, and the end."""
    own = random_own_phrases(2, seed=1)
    next_words, end = [0.5, 0.2, 0.1], 0.2
    counts = [3, 0, 1]
    rows = [(c, sum(counts), sum(c > 0 for c in counts)) for c in counts]
    urn = Urn(*(torch.tensor([[0, row[k]] for row in rows]) for k in range(3)))
    steps = torch.tensor([[1.0, p] for p in next_words], dtype=torch.float64).log()
    ends = torch.full((3, 2), math.log(end), dtype=torch.float64)
    words, ends = own(steps, ends, urn)
    total = words[:, 1].exp().sum() + ends[0, 0].exp()
    assert total.item() == pytest.approx(1, abs=1e-12)


def test_gradients_stay_finite_where_nothing_is_possible():
    own = random_own_phrases(3)
    steps = torch.full((4, 3), -torch.inf, dtype=torch.float64)
    steps[:, 0] = 0
    steps[0, 1] = -1.0
    steps.requires_grad_()
    zeros = torch.zeros(4, 3, dtype=torch.long)
    words, ends = own(steps, torch.zeros(4, 3, dtype=torch.float64), Urn(zeros, zeros, zeros))
    assert torch.equal(words, steps)
    (words[words.isfinite()].sum() + ends.sum()).backward()
    for parameter in own.parameters():
        assert parameter.grad.isfinite().all()
    assert steps.grad.isfinite().all()


@pytest.mark.parametrize("repeated", list(itertools.product(range(2), repeat=2)))
def test_equal_words_are_held_alike_wherever_they_stand(repeated):
    """So that a name is cut the same way each time it comes."""
    name = [0, *repeated]
    batch = batch_of([[[*name], [2], [*name], [*name]]], 3)
    urn = others_urn(batch)
    first, second, third = (0, 1, 2), (4, 5, 6), (7, 8, 9)
    for each in urn:
        for a, b, c in zip(first, second, third, strict=True):
            assert each[a].tolist() == each[b].tolist() == each[c].tolist()
