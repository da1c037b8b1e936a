import doctest

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus import Documents, documents

WORDS = st.lists(st.integers(0, 6), min_size=1, max_size=5)
NESTED = st.lists(st.lists(WORDS, max_size=4), max_size=5)


def flat(document):
    return [word for span in document for word in span]


def test_docstring_examples():
    assert doctest.testmod(documents).failed == 0


@given(NESTED)
def test_lists_round_trip(nested):
    assert Documents.from_lists(nested).to_lists() == nested


@given(NESTED, st.data())
def test_select_takes_documents_in_the_given_order(nested, data):
    chosen = data.draw(st.lists(st.sampled_from(range(len(nested))) if nested else st.nothing()))
    selected = Documents.from_lists(nested).select(chosen)
    assert selected.to_lists() == [nested[d] for d in chosen]


@given(NESTED)
def test_bag_of_words_counts(nested):
    documents = Documents.from_lists(nested)
    expected = [np.bincount(flat(document), minlength=7).tolist() for document in nested]
    assert documents.bag_of_words(7).toarray().tolist() == expected
    assert documents.bag_of_words(7).toarray().tolist() == expected  # the documents are as before
    assert documents.to_lists() == nested


@given(NESTED, st.sampled_from([0.0, 0.5, 0.75, 1.0]))
def test_documents_are_cut_after_the_share_and_keep_spans(nested, share):
    observed, scored = Documents.from_lists(nested).observed_and_scored(share)
    for whole, first, rest in zip(nested, observed.to_lists(), scored.to_lists(), strict=True):
        cut = int(len(flat(whole)) * share)
        assert flat(first) == flat(whole)[:cut]
        assert flat(rest) == flat(whole)[cut:]
        assert len(first) + len(rest) - len(whole) in (0, 1)  # at most one span is cut
