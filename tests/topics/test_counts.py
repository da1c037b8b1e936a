import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus import Documents
from segtopic.topics import counts
from segtopic.topics.counts import phrase_counts, phrase_weights
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
    begins = np.cumsum([0, *map(len, spans)]).tolist()
    places = [
        [
            begin + start
            for begin, span in zip(begins, spans, strict=False)
            for start in range(len(span) - len(phrase) + 1)
            if span[start : start + len(phrase)] == phrase
        ]
        for phrase in phrases
    ]
    assert phrase_counts(documents, padded).tolist() == [len(found) for found in places]
    with pytest.MonkeyPatch.context() as patched:  # the same, document by document
        patched.setattr(counts, "AT_ONCE", 1)
        assert phrase_counts(documents, padded).tolist() == [len(found) for found in places]
    weights = np.arange(documents.n_words) + 0.5
    expected = [sum(place + 0.5 for place in found) for found in places]
    assert phrase_weights(documents, padded, weights).tolist() == expected
