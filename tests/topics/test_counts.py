import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus import Documents
from segtopic.topics import counts
from segtopic.topics.counts import phrase_counts
from segtopic.topics.phrases import NO_WORD

SPAN = st.lists(st.integers(0, 3), min_size=1, max_size=6)
PHRASE = st.lists(st.integers(0, 5), min_size=1, max_size=4)


@given(
    nested=st.lists(st.lists(SPAN, max_size=3), min_size=1, max_size=4),
    phrases=st.lists(PHRASE, min_size=1, max_size=8),
)
def test_counts_equal_those_of_looking_everywhere(nested, phrases):
    documents = Documents.from_lists(nested)
    padded = np.array([p + [NO_WORD] * (4 - len(p)) for p in phrases])
    spans = [span for document in nested for span in document]
    expected = [
        sum(
            span[start : start + len(phrase)] == phrase
            for span in spans
            for start in range(len(span))
        )
        for phrase in phrases
    ]
    assert phrase_counts(documents, padded).tolist() == expected
    with pytest.MonkeyPatch.context() as patched:  # the same, document by document
        patched.setattr(counts, "AT_ONCE", 1)
        assert phrase_counts(documents, padded).tolist() == expected
