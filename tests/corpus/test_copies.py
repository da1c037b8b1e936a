"""Copies of documents: every one that is taken is one, planted ones are found, parts hold them."""

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.config import CorpusConfig, SplitConfig
from segtopic.corpus import copies as copies_module
from segtopic.corpus import corpus_from_texts, split_documents
from segtopic.corpus.copies import OVERLAP, find_copies

documents_of_few_words = st.lists(st.lists(st.integers(0, 3), max_size=9), max_size=12)


def table_of(documents, rows=1000):
    words = pa.table({"words": pa.array(documents, pa.large_list(pa.int32()))})
    return pa.Table.from_batches(words.to_batches(max_chunksize=rows), words.schema)


def overlap(a, b):
    runs = [{tuple(each[i : i + 3]) for i in range(len(each) - 2)} for each in (a, b)]
    together = runs[0] | runs[1]
    return len(runs[0] & runs[1]) / len(together) if together else 0.0


def groups_by_enumeration(documents):
    """The first document that each can be reached from, over copies of copies."""
    first = list(range(len(documents)))
    for a, b in combinations(range(len(documents)), 2):
        same = documents[a] == documents[b]
        if same or overlap(documents[a], documents[b]) >= OVERLAP:
            low, high = sorted((first[a], first[b]))
            first = [low if each == high else each for each in first]
    return first


@given(documents_of_few_words, st.integers(1, 4))
def test_groups_are_those_of_enumeration_or_parts_of_them(documents, rows):
    found = find_copies(table_of(documents, rows))
    expected = groups_by_enumeration(documents)
    for document, first in enumerate(found.first.tolist()):
        assert expected[document] == expected[first]  # none is taken by mistake
        assert first <= document
    for a, b in combinations(range(len(documents)), 2):
        if documents[a] == documents[b]:
            assert found.first[a] == found.first[b]
            assert found.exact[b]
    assert found.n_exact + found.n_near == sum(i != f for i, f in enumerate(found.first))


def planted(n_documents=300, n_words=120, seed=0):
    """Random documents, of which some come again with five words changed."""
    random = np.random.default_rng(seed)
    documents = [random.integers(0, 5000, n_words) for _ in range(n_documents)]
    near = {}
    for place in range(10):
        changed = documents[place].copy()
        changed[random.choice(n_words, 5, replace=False)] = 5001
        near[len(documents)] = place
        documents.append(changed)
    return [document.tolist() for document in documents], near


def test_planted_copies_are_found_and_nothing_else(monkeypatch):
    documents, near = planted()
    expected = [near.get(number, number) for number in range(len(documents))]
    found = find_copies(table_of(documents, rows=50))
    assert found.first.tolist() == expected
    assert (found.n_exact, found.n_near) == (0, 10)
    monkeypatch.setattr(copies_module, "PAIRED_WORDS", 100)  # a few pairs at a time
    assert find_copies(table_of(documents)).first.tolist() == expected


def test_a_corpus_of_copies_alone():
    found = find_copies(table_of([[1, 2, 3, 4]] * 5 + [[]] * 2))
    assert found.first.tolist() == [0] * 5 + [5] * 2
    assert find_copies(table_of([])).first.tolist() == []


@given(st.integers(10, 300), st.integers(0, 3), st.data())
def test_copies_are_in_one_part(n_documents, seed, data):
    config = SplitConfig(split_seed=seed)
    n_pairs = data.draw(st.integers(0, n_documents // 4))
    first = np.arange(n_documents)
    first[n_documents - n_pairs :] = np.arange(n_pairs)
    split = split_documents(n_documents, config, first)
    assert sorted(np.concatenate([split.train, split.dev, split.test])) == list(range(n_documents))
    assert min(map(len, (split.train, split.dev, split.test))) >= 1
    plain = split_documents(n_documents, config)
    parts = np.empty((2, n_documents), dtype=int)
    for place, name in enumerate(("train", "dev", "test")):
        parts[0, getattr(split, name)] = parts[1, getattr(plain, name)] = place
    if not n_pairs:
        np.testing.assert_array_equal(*parts)
    if not np.array_equal(*parts):
        np.testing.assert_array_equal(parts[0], parts[0][first])
    alone = np.bincount(first, minlength=n_documents)[first] == 1
    np.testing.assert_array_equal(parts[0][alone], parts[1][alone])  # nobody else is moved


def test_many_copies_do_not_fill_the_test_part():
    plain = split_documents(100, SplitConfig())
    first = np.arange(100)
    first[plain.test[0] :: 2] = plain.test[0]
    split = split_documents(100, SplitConfig(), first)
    assert len(split.test) <= 10
    assert plain.test[0] in split.train


def test_the_split_of_a_corpus_keeps_copies_together():
    texts = [f"word{i} river{i} bank{i} rain{i} boat{i}" for i in range(40)]
    corpus = corpus_from_texts([*texts, *texts[:20]])
    assert (corpus.summary.copies, corpus.summary.near_copies) == (20, 0)
    split = corpus.split()
    assert all(split.part_of(i) == split.part_of(40 + i) for i in range(20))
    apart = corpus.split(SplitConfig(copies_together=False))
    assert any(apart.part_of(i) != apart.part_of(40 + i) for i in range(20))
    np.testing.assert_array_equal(apart.test, split_documents(60, SplitConfig()).test)


@pytest.mark.parametrize("texts", [["the same river bank"] * 30])
def test_nothing_but_copies_is_split_as_before(texts):
    split = corpus_from_texts(texts, CorpusConfig()).split()
    np.testing.assert_array_equal(split.test, split_documents(30, SplitConfig()).test)
