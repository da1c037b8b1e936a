"""Names seen before: the same answers as a set of all names, in eight bytes a name."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus import records
from segtopic.corpus.records import SeenIds


@pytest.fixture(scope="module", autouse=True)
def _sorts_in_often():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "MOST_LATEST", 3)
        yield


@given(st.lists(st.integers(0, 30).map(str), max_size=60))
def test_answers_as_a_set_does(names):
    known: set[str] = set()
    remembered = SeenIds()
    for name in names:
        assert remembered.add(name) == (name not in known)
        known.add(name)


def test_a_name_takes_eight_bytes(monkeypatch):
    monkeypatch.setattr(records, "MOST_LATEST", 1000)
    remembered = SeenIds()
    tracemalloc.start()
    try:
        for number in range(100_000):
            remembered.add(f"document {number}")
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 8 * 100_000 <= taken < 10 * 100_000
