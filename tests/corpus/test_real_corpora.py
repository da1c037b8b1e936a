"""The named corpora, prepared by one command each; read from $SEGTOPIC_DATA."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from segtopic.config import CorpusConfig
from segtopic.corpus import prepare_corpus
from segtopic.corpus.named import find, named_corpus

DATA = os.environ.get("SEGTOPIC_DATA", "")
ROOT = Path(__file__).parents[2]


def prepared(name, tmp_path, monkeypatch, **settings):
    monkeypatch.setenv("SEGTOPIC_DATA", DATA)
    if find(named_corpus(name)) is None:
        pytest.skip(f"'{name}' is not in $SEGTOPIC_DATA ({DATA or 'not set'})")
    return prepare_corpus(CorpusConfig(data=name, **settings), tmp_path / "out").load()


def test_lee(tmp_path, monkeypatch):
    summary = prepared("lee", tmp_path, monkeypatch).summary
    assert (summary.documents_read, summary.documents) == (300, 300)
    assert (summary.words, summary.spans) == (31_389, 19_254)


def test_ap(tmp_path, monkeypatch):
    corpus = prepared("ap", tmp_path, monkeypatch)
    summary = corpus.summary
    assert summary.documents_read == summary.documents == 2246
    assert summary.vocabulary == 10_000
    # A simpler tokeniser gave 433,626 words in 283,434 spans: there, "company's" was one word.
    assert summary.words == pytest.approx(433_626, rel=0.02)
    assert summary.spans == pytest.approx(283_434, rel=0.03)
    assert summary.longest_span == 12
    assert corpus.ids[0] == "AP881218-0003"
    assert not {"don't", "'s", "the", "1988"} & set(corpus.vocabulary.words)


def test_the_files_of_named_corpora_are_recognised(tmp_path, monkeypatch):
    prepared("ap", tmp_path, monkeypatch, limit=20)
    path, _ = find(named_corpus("ap"))
    config = CorpusConfig(data=str(path), limit=20)
    assert not prepare_corpus(config, tmp_path / "out").fresh


def test_ap_reading(tmp_path, monkeypatch):
    settings = {"stop_words": "none", "min_word_length": 1}
    corpus = prepared("ap", tmp_path, monkeypatch, **settings)
    assert corpus.summary.mean_span > 5
    assert {"the", "'s", "don't", "a"} <= set(corpus.vocabulary.words)


def test_citeulike(tmp_path, monkeypatch):
    corpus = prepared("citeulike", tmp_path, monkeypatch)
    summary = corpus.summary
    if summary.documents_read == 1929:
        assert summary.documents == 1929
        assert summary.words == pytest.approx(193_466, rel=0.02)
        assert summary.spans == pytest.approx(117_181, rel=0.03)
    else:
        assert summary.documents_read == 16_980
    assert "Barabási, A. L." in corpus.text(0)
    assert "Convergent evolution" in corpus.text(1)


def test_acl_sample(tmp_path, monkeypatch):
    corpus = prepared("acl", tmp_path, monkeypatch, limit=3000)
    assert len(corpus) == 3000
    assert corpus.summary.longest_span < 40


@pytest.mark.slow
def test_acl(tmp_path, monkeypatch):
    corpus = prepared("acl", tmp_path, monkeypatch)
    assert corpus.summary.documents_read == 57_212
    assert corpus.summary.words_read == pytest.approx(8.1e6, rel=0.02)


@pytest.mark.bench
def test_speed_and_memory(monkeypatch):
    monkeypatch.setenv("SEGTOPIC_DATA", DATA)
    if find(named_corpus("acl")) is None:
        pytest.skip("'acl' is not in $SEGTOPIC_DATA")
    done = subprocess.run(
        [sys.executable, "scripts/bench_corpus.py"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures["ratio_to_countvectorizer"] < 2.5
    assert figures["peak_mb"] < 1000
    # Four times the text: eight bytes for each name, and holes that malloc cannot fill.
    assert figures["growth_4x"] < 1.1
