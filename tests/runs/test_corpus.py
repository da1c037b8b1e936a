"""A run's corpus gives back what was kept, and is refused when it cannot be true."""

import dataclasses
import pickle
from itertools import chain

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.config import CorpusConfig
from segtopic.corpus import Documents, Split, corpus_from_texts
from segtopic.corpus.corpus import Summary
from segtopic.errors import RunError
from segtopic.files import text_digest
from segtopic.runs import RunCorpus
from segtopic.runs import corpus as rows_of_runs
from segtopic.runs.corpus import KEPT, TEXT, document_rows
from segtopic.runs.folder import DOCUMENTS

TEXTS = ["river bank", "money bank", "a loan of money", "river money", "bank loan"] * 4
spans = st.lists(st.integers(0, 3), min_size=1, max_size=5)


def kept(keep_texts=True, texts=TEXTS):
    return RunCorpus.of(corpus_from_texts(texts), CorpusConfig(), keep_texts)


def nothing():
    pass


def loaded(folder):
    return RunCorpus.load(folder, before_reading=nothing)


@pytest.mark.parametrize("keep_texts", [True, False])
def test_round_trip(tmp_path, keep_texts):
    corpus = kept(keep_texts)
    corpus.save(tmp_path)
    again = loaded(tmp_path)
    assert again.table.equals(corpus.table)
    assert again.has_texts == keep_texts
    assert again.vocabulary == corpus.vocabulary
    assert again.rules == corpus.rules
    assert again.ids == [str(number) for number in range(1, 21)]
    parts = [getattr(again.split, name).tolist() for name in ("train", "dev", "test")]
    assert sorted(chain(*parts)) == list(range(20))
    for name, numbers in zip(("train", "dev", "test"), parts, strict=True):
        expected = corpus.documents.select(np.array(numbers)).to_lists()
        assert getattr(again, name).to_lists() == expected
    assert pickle.loads(pickle.dumps(again)).ids == corpus.ids  # what joblib sends to its workers


def test_many_rows_are_mapped_and_the_same(tmp_path, monkeypatch):
    corpus = kept()
    corpus.save(tmp_path)
    monkeypatch.setattr(rows_of_runs, "READ_BYTES", 0)
    again = loaded(tmp_path)
    assert again.table.equals(corpus.table)
    (tmp_path / DOCUMENTS).write_bytes((tmp_path / DOCUMENTS).read_bytes()[:-50])
    with pytest.raises(RunError, match="damaged"):
        _ = loaded(tmp_path).table


@given(st.lists(st.lists(spans, min_size=1, max_size=4), min_size=1, max_size=5), st.randoms())
def test_rows_are_the_documents(lists, random):
    parts = [random.randrange(3) for _ in lists]
    split = Split(*(np.flatnonzero(np.array(parts) == place) for place in range(3)))
    texts = [str(document) for document in lists]
    rows = document_rows(texts, Documents.from_lists(lists), texts, split, keep_texts=False)
    assert rows["words"].to_pylist() == [list(chain(*document)) for document in lists]
    assert rows["span_lengths"].to_pylist() == [list(map(len, document)) for document in lists]
    assert rows["part"].to_pylist() == parts
    assert rows["digest"].to_pylist() == [text_digest(text) for text in texts]


def changed(table, column, values):
    place = table.column_names.index(column)
    return table.set_column(place, KEPT.field(column), pa.array(values, KEPT.field(column).type))


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("words", [[1, 2, 99]]),
        ("words", [[1, -1, 0]]),
        ("words", [[1, 2]]),
        ("span_lengths", [[3, 0]]),
        ("span_lengths", [[4]]),
        ("part", [3]),
        ("part", [None]),
        ("id", [None]),
    ],
    ids=str,
)
def test_what_does_not_fit(tmp_path, column, values):
    corpus = kept(keep_texts=False)
    rows = document_rows(
        ["one"],
        Documents.from_lists([[[1, 2], [0]]]),
        ["text"],
        Split(*np.split(np.array([0]), [1, 1])),
        keep_texts=False,
    )
    wrong = dataclasses.replace(corpus, open_table=lambda: changed(rows, column, values))
    wrong.save(tmp_path)
    with pytest.raises(RunError, match="does not fit the model beside it"):
        assert loaded(tmp_path).documents


def test_other_columns(tmp_path):
    corpus = kept(keep_texts=False)
    table = corpus.table.append_column(pa.field("more", pa.int8()), pa.array([0] * 20, pa.int8()))
    dataclasses.replace(corpus, open_table=lambda: table).save(tmp_path)
    with pytest.raises(RunError, match="has other columns"):
        assert loaded(tmp_path).ids


def test_more_documents(tmp_path):
    corpus = kept()
    rows = document_rows(
        ["new"],
        Documents.from_lists([[[1]]]),
        ["bank"],
        Split(*np.split(np.array([0]), [1, 1])),
        keep_texts=True,
    )
    more = corpus.with_more(rows, Summary.from_dict(corpus.manifest["summary"]))
    assert len(more) == 21
    twice = 2 * corpus.manifest["summary"]["words"]
    assert more.manifest["summary"]["words"] == twice
    assert more.train.n_documents == corpus.train.n_documents + 1
    assert more.test.to_lists() == corpus.test.to_lists()
    assert more.table.schema == KEPT.append(TEXT)


def test_documents_may_be_kept_back(tmp_path):
    kept().save(tmp_path, documents=False)
    assert not (tmp_path / DOCUMENTS).exists()
    with pytest.raises(RunError, match="is missing or damaged"):
        assert loaded(tmp_path).ids
