import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus import Documents
from segtopic.explore.counts import phrase_counts
from segtopic.explore.phrases import NO_WORD

SPAN = st.lists(st.integers(0, 3), min_size=1, max_size=6)
PHRASE = st.lists(st.integers(0, 5), min_size=1, max_size=4)


@given(
    nested=st.lists(st.lists(SPAN, max_size=3), min_size=1, max_size=4),
    phrases=st.lists(PHRASE, min_size=1, max_size=8),
)
def test_counts_equal_those_of_looking_everywhere(nested, phrases):
    padded = np.array([p + [NO_WORD] * (4 - len(p)) for p in phrases])
    expected = [
        sum(
            span[start : start + len(phrase)] == phrase
            for document in nested
            for span in document
            for start in range(len(span) - len(phrase) + 1)
        )
        for phrase in phrases
    ]
    assert phrase_counts(Documents.from_lists(nested), padded).tolist() == expected
