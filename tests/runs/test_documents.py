"""``documents.safetensors`` gives back what was written, and is refused when it cannot be true."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus.documents import Documents
from segtopic.errors import RunError
from segtopic.runs.documents import load_documents, save_documents

spans = st.lists(st.integers(0, 9), min_size=1, max_size=5)


@given(st.lists(st.lists(spans, max_size=4), max_size=5))
def test_round_trip(tmp_path_factory, lists):
    path = tmp_path_factory.mktemp("documents") / "documents.safetensors"
    save_documents(path, Documents.from_lists(lists))
    assert load_documents(path, vocabulary_size=10).to_lists() == lists


@pytest.mark.parametrize(
    "change",
    [
        {"words": np.array([1, 2, 10])},
        {"words": np.array([1, 2])},
        {"span_lengths": np.array([3, 0])},
        {"spans_per_document": np.array([3])},
        {"spans_per_document": np.array([3, -1])},
    ],
    ids=str,
)
def test_what_does_not_fit(tmp_path, change):
    documents = Documents.from_lists([[[1, 2], [3]]])
    path = tmp_path / "documents.safetensors"
    save_documents(path, dataclasses.replace(documents, **change))
    with pytest.raises(RunError, match="does not fit the model beside it"):
        load_documents(path, vocabulary_size=10)
