"""The chain against adding up every path of roles."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.grammar.chain import Chain, by_length, phrase_posteriors

N_ROLES, N_SIGNS = 4, 3
INNER, LAST = np.array([1]), np.array([2])


def chain_of(seed):
    """Any chain in which role 1 is left for 1 or 2 only, and no clause ends in it."""
    random = np.random.default_rng(seed)
    move, stop = random.random((N_ROLES, N_ROLES)), random.random(N_ROLES)
    move[1, [0, 3]] = stop[1] = 0
    ways = move.sum(1) + stop
    signs, cases = random.random((N_ROLES, N_SIGNS)), random.random((N_ROLES, 4))
    return Chain(
        random.dirichlet(np.ones(N_ROLES)),
        move / ways[:, None],
        stop / ways,
        signs / signs.sum(1, keepdims=True),
        cases,
    )


def paths(chain, shown, stays):
    """Every path of roles with its weight."""
    for roles in itertools.product(range(N_ROLES), repeat=len(shown)):
        weight = chain.begin[roles[0]] * chain.stop[roles[-1]]
        for place, role in enumerate(roles):
            weight *= shown[place, role]
            if place:
                weight *= chain.move[roles[place - 1], role] * stays[place - 1, roles[place - 1]]
        yield roles, weight


def phrases(roles):
    """First words and lengths of the phrases of a path."""
    begin = None
    for place, role in enumerate(roles):
        if role in (1, 2) and begin is None:
            begin = place
        if role == 2:
            yield begin, place - begin + 1
        if role != 1:
            begin = None


@given(st.integers(0, 10_000), st.integers(1, 5))
def test_posteriors_add_up_all_paths(seed, length):
    chain, random = chain_of(seed), np.random.default_rng(seed + 1)
    signs = random.integers(0, N_SIGNS, (2, length))
    cases = random.integers(0, 4, (2, length))
    shown = chain.shown(signs, cases)
    stays = random.random((2, length, N_ROLES)) + 0.1
    found = phrase_posteriors(chain, shown, INNER, LAST, 3, stays)
    messages = chain.messages(shown, stays)
    total = 0.0
    for number in range(2):
        weights = dict(paths(chain, shown[number], stays[number]))
        z = sum(weights.values())
        total += np.log(z)
        expected = np.zeros((length, 3))
        posterior = np.zeros((length, N_ROLES))
        for roles, weight in weights.items():
            for place, role in enumerate(roles):
                posterior[place, role] += weight / z
            for begin, size in phrases(roles):
                if size <= 3:
                    expected[begin, size - 1] += weight / z
        assert found[number] == pytest.approx(expected, abs=1e-10)
        mine = messages.forward[number] * messages.backward[number]
        assert mine == pytest.approx(posterior, abs=1e-10)
    assert messages.log_likelihood == pytest.approx(total)


@given(st.lists(st.integers(1, 6), max_size=20))
def test_every_clause_is_in_one_batch(lengths):
    lengths = np.array(lengths, dtype=np.int64)
    first = np.cumsum(lengths) - lengths
    places = [place for batch in by_length(first, lengths) for place in batch.ravel().tolist()]
    assert sorted(places) == list(range(int(lengths.sum())))
