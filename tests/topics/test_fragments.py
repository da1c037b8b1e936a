import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus import Documents
from segtopic.topics.fragments import NEARLY_ALWAYS, REPEATED, fragments
from segtopic.topics.phrases import NO_WORD

PRIME, MINISTER, YASUHIRO, NAKASONE, FOOD, DRUG, ADMINISTRATION, SAID, VISITED = range(9)
PLANTED = [
    *[[[SAID, PRIME, MINISTER, YASUHIRO, NAKASONE]]] * 5,
    *[[[PRIME, MINISTER, YASUHIRO, NAKASONE], [VISITED]]] * 5,
    *[[[PRIME, MINISTER], [SAID]]] * 5,
    *[[[NAKASONE], [SAID]]] * 5,
    *[[[FOOD], [DRUG, ADMINISTRATION], [SAID]]] * 5,  # 'and' stood between the spans
    *[[[SAID, FOOD], [DRUG, ADMINISTRATION], [VISITED]]] * 5,
    *[[[DRUG], [VISITED]], [[ADMINISTRATION], [PRIME]]] * 4,
]


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ((PRIME, MINISTER, YASUHIRO), True),  # the whole is longer than any phrase asked about
        ((MINISTER, YASUHIRO, NAKASONE), True),
        ((MINISTER, YASUHIRO), True),
        ((YASUHIRO, NAKASONE), True),
        ((YASUHIRO,), True),
        ((PRIME, MINISTER), False),  # others are, too
        ((NAKASONE,), False),
        ((DRUG, ADMINISTRATION), True),
        ((DRUG,), False),
        ((SAID,), False),
        ((VISITED, SAID), False),  # stands nowhere
    ],
)
def test_pieces_of_planted_phrases(phrase, expected):
    padded = np.array([[*phrase, *[NO_WORD] * (3 - len(phrase))]])
    assert fragments(Documents.from_lists(PLANTED), padded).tolist() == [expected]


def test_a_longer_phrase_must_be_repeated():
    for times in range(1, 2 * REPEATED):
        documents = Documents.from_lists([[[0, 1, 2]]] * times)
        assert fragments(documents, np.array([[0, 1]])).tolist() == [times >= REPEATED]


def test_neighbours_are_of_the_same_document():
    inside = Documents.from_lists([[[0], [1]]] * 20)
    apart = Documents.from_lists([[[0]], [[1]]] * 20)
    phrases = np.array([[0], [1]])
    assert fragments(inside, phrases).tolist() == [True, True]
    assert fragments(apart, phrases).tolist() == [False, False]


SPAN = st.lists(st.integers(0, 2), min_size=1, max_size=5)


@given(
    nested=st.lists(st.lists(SPAN, max_size=4), min_size=1, max_size=8),
    phrases=st.sets(st.tuples(st.integers(0, 2), st.integers(-1, 2)), min_size=1),
)
def test_fragments_are_those_of_looking_everywhere(nested, phrases):
    """Every place of every phrase, and every word that may stand before or after it."""
    nested = nested * 2
    expected = []
    for phrase in (words := sorted(phrases)):
        wanted = [word for word in phrase if word != NO_WORD]
        befores, afters, count = [], [], 0
        for document in nested:
            text = [word for span in document for word in span]
            begin = 0
            for span in document:
                for start in range(len(span) - len(wanted) + 1):
                    if span[start : start + len(wanted)] == wanted:
                        count += 1
                        at, to = begin + start, begin + start + len(wanted)
                        befores += text[at - 1 : at] if at else []
                        afters += text[to : to + 1]
                begin += len(span)
        most = max(side.count(word) for side in (befores, afters) for word in range(3))
        expected.append(most >= REPEATED and most >= NEARLY_ALWAYS * count)
    assert fragments(Documents.from_lists(nested), np.array(words)).tolist() == expected
