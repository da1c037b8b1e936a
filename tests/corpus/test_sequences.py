"""Distinct sequences against a plain count of every one that stands in a span."""

import doctest
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus import Documents, sequences
from segtopic.corpus.sequences import distinct_sequences

SPANS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), max_size=4)
NESTED = st.lists(SPANS, max_size=4)


def test_docstring_examples():
    assert doctest.testmod(sequences).failed == 0


def plain_count(nested, length):
    """Every sequence of a length, counted, and where each of its occurrences starts."""
    counts, starts, begin = Counter(), [], 0
    for span in (span for document in nested for span in document):
        for at in range(len(span) - length + 1):
            words = tuple(span[at : at + length])
            counts[words] += 1
            starts.append((begin + at, words))
        begin += len(span)
    return counts, starts


@given(NESTED, st.integers(1, 2), st.integers(1, 4))
def test_every_sequence_is_found_once_and_counted(nested, first, longest):
    documents = Documents.from_lists(nested)
    # With roots of one word the first level has two; with one root for all, it has one.
    roots = documents.words * (first - 1)
    spelled = [(word,) for word in range(4)] if first == 2 else [()]
    lengths = range(first, longest + 1)
    levels = list(distinct_sequences(documents, roots, 4, first, longest))
    assert len(levels) == len(lengths)
    for length, level in zip(lengths, levels, strict=True):
        pairs = zip(level.parent.tolist(), level.word.tolist(), strict=True)
        spelled = [(*spelled[parent], word) for parent, word in pairs]
        counts, starts = plain_count(nested, length)
        assert dict(zip(spelled, level.count.tolist(), strict=True)) == counts
        assert spelled == sorted(counts)
        at_starts = [spelled[number] for number in level.at_starts]
        assert list(zip(level.starts.tolist(), at_starts, strict=True)) == starts
        firsts = {words: start for start, words in reversed(starts)}
        assert level.example.tolist() == [firsts[words] for words in spelled]


@given(NESTED)
def test_words_left_in_a_span(nested):
    expected = [
        len(span) - at for document in nested for span in document for at in range(len(span))
    ]
    assert Documents.from_lists(nested).words_left.tolist() == expected
