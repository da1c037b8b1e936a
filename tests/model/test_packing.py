import doctest

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus import Documents
from segtopic.model import pack, packed_batches, packing

SPANS = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=6), max_size=4)
NESTED = st.lists(SPANS, max_size=5)


def test_docstring_examples():
    assert doctest.testmod(packing).failed == 0


def spelled_out(batch):
    """Document and words of every node, by walking up to the document."""
    spelled, above = [], [(d,) for d in range(batch.n_documents)]
    for level in batch.levels:
        pairs = zip(level.parent.tolist(), level.word.tolist(), strict=True)
        above = [(*above[parent], word) for parent, word in pairs]
        spelled += above
    return spelled


@given(NESTED, st.integers(1, 4), st.data())
def test_every_segment_has_its_node_and_every_node_a_segment(nested, max_length, data):
    order = data.draw(st.permutations(range(len(nested))))
    chosen = order[: data.draw(st.integers(0, len(nested)))]
    batch = pack(Documents.from_lists(nested).select(chosen), max_length)
    nodes = spelled_out(batch)
    assert len(set(nodes)) == len(nodes)  # each distinct segment once
    expected = [
        [
            (d, *span[start : start + length]) if start + length <= len(span) else None
            for length in range(1, max_length + 1)
        ]
        for d, document in enumerate(nested[c] for c in chosen)
        for span in document
        for start in range(len(span))
    ]
    found = [[nodes[n] if n < len(nodes) else None for n in row] for row in batch.node.tolist()]
    assert found == expected
    assert set(nodes) == {segment for row in expected for segment in row if segment}
    for level in batch.levels:
        assert torch.equal(level.parent, level.parent.sort().values)


@given(NESTED)
def test_spans_and_documents(nested):
    batch = pack(Documents.from_lists(nested), 2)
    assert batch.spans.lengths.tolist() == [len(s) for document in nested for s in document]
    words = batch.sum_by_document(batch.spans.lengths.double())
    assert words.tolist() == [sum(map(len, document)) for document in nested]


def test_the_longest_segment_must_hold_a_word():
    with pytest.raises(ValueError, match="at least 1 word, got 0"):
        pack(Documents.from_lists([[[1]]]), 0)


@given(NESTED, st.integers(1, 3))
def test_batches_in_turn_hold_all_documents_in_their_order(nested, max_length):
    documents = Documents.from_lists(nested)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(packing, "BATCH", 2)
        batches = list(packed_batches(documents, max_length))
    assert [batch.n_documents for batch in batches[:-1]] == [2] * (len(batches) - 1)
    found = [
        (2 * number + node[0], *node[1:])
        for number, batch in enumerate(batches)
        for node in spelled_out(batch)
    ]
    assert sorted(found) == sorted(spelled_out(pack(documents, max_length)))
