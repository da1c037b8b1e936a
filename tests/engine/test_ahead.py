"""Pieces are handed out a few ahead: in order, each once, and never more than that."""

from hypothesis import given
from hypothesis import strategies as st

from segtopic.engine import a_few_ahead
from segtopic.engine.protocol import AHEAD


@given(st.lists(st.integers()), st.integers(1, 5))
def test_every_piece_comes_back_in_order_with_its_promise(pieces, n_workers):
    found = list(a_few_ahead(lambda piece: -piece, pieces, n_workers))
    assert found == [(piece, -piece) for piece in pieces]


@given(st.integers(0, 40), st.integers(1, 5))
def test_only_a_few_are_ahead_of_what_was_given_back(n_pieces, n_workers):
    submitted, most_ahead = [], 0
    for returned, _ in enumerate(a_few_ahead(submitted.append, range(n_pieces), n_workers)):
        most_ahead = max(most_ahead, len(submitted) - returned)
    assert most_ahead == min(n_pieces, AHEAD * n_workers + 1)


def test_pieces_are_read_only_when_they_are_needed():
    read = iter(range(100))
    next(a_few_ahead(str, read, n_workers=2))
    assert next(read) == AHEAD * 2 + 1
