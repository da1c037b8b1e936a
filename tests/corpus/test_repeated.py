"""Counts on disk against counts in memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus import Documents, documents, repeated
from segtopic.corpus.repeated import repeated_sequences
from segtopic.corpus.sequences import distinct_sequences

TEXTS = st.lists(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), max_size=4), max_size=6
)


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patched:
        yield patched


def spelt(levels, least):
    """Words and counts of all sequences, by the words that their numbers stand for."""
    found, names = {}, {word: (word,) for word in range(4)}
    for level in levels:
        names = {
            number: (*names[parent], word)
            for number, (parent, word) in enumerate(
                zip(level.parent.tolist(), level.word.tolist(), strict=True)
            )
        }
        counts = level.count.tolist()
        found |= {names[n]: count for n, count in enumerate(counts) if count >= least}
    return found


@given(texts=TEXTS, chunk=st.integers(1, 9), merged=st.integers(1, 9), longest=st.integers(1, 4))
def test_what_came_again_is_counted_alike(monkeypatch_module, texts, chunk, merged, longest):
    monkeypatch_module.setattr(repeated, "CHUNK_WORDS", chunk)
    monkeypatch_module.setattr(repeated, "MERGED", merged)
    text = Documents.from_lists(texts)
    whole = distinct_sequences(text, text.words, 4, first=2, longest=longest)
    levels = list(repeated_sequences(text, 4, longest))
    assert spelt(levels, 1) == spelt(whole, 2)
    for level in levels:
        keys = level.parent * 4 + level.word
        assert (keys[1:] > keys[:-1]).all()


@given(texts=TEXTS, most=st.integers(0, 6))
def test_of_very_many_sequences_the_most_frequent_are_kept(monkeypatch_module, texts, most):
    text = Documents.from_lists(texts)
    monkeypatch_module.setattr(repeated, "MOST_KEPT", 10**6)
    (whole,) = repeated_sequences(text, 4, longest=2)
    monkeypatch_module.setattr(repeated, "MOST_KEPT", most)
    (some,) = repeated_sequences(text, 4, longest=2)
    assert len(some.word) <= most or len(some.word) == len(whole.word)
    monkeypatch_module.setattr(repeated, "MOST_KEPT", 10**6)
    kept, counts = spelt([some], 1), spelt([whole], 1)
    assert kept.items() <= counts.items()
    left_out = counts.keys() - kept.keys()
    if left_out and kept:
        assert max(counts[each] for each in left_out) < min(kept.values())
    # One more frequency would have been too many.
    if left_out:
        next_ones = [c for c in counts.values() if c >= max(counts[each] for each in left_out)]
        assert len(next_ones) > most


@given(texts=TEXTS, at_once=st.integers(1, 5), data=st.data())
def test_many_documents_are_selected_counted_and_digested_in_parts(
    monkeypatch_module, texts, at_once, data
):
    text = Documents.from_lists(texts)
    chosen = data.draw(st.lists(st.integers(0, max(len(texts) - 1, 0)), max_size=8 * bool(texts)))
    monkeypatch_module.setattr(documents, "AT_ONCE", 10**6)
    before = text.select(chosen).to_lists(), text.word_counts(4).tolist()
    digest = documents.digest_of_documents(text)
    monkeypatch_module.setattr(documents, "AT_ONCE", at_once)
    monkeypatch_module.setattr(documents, "IN_MEMORY", 2)
    assert (text.select(chosen).to_lists(), text.word_counts(4).tolist()) == before
    assert text.select(chosen).to_lists() == [texts[number] for number in chosen]
    assert documents.digest_of_documents(text) == digest
    parts = [part.to_lists() for part in text.chunks(at_once)]
    assert [document for part in parts for document in part] == texts
