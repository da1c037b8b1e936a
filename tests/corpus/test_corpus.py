"""Prepared corpora: equal when loaded, current or not, refused when damaged."""

import doctest
import json
import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segtopic.corpus
from segtopic.config import CorpusConfig
from segtopic.corpus import Corpus, corpus_from_texts, parallel, prepare_corpus, spans, tokenise
from segtopic.corpus.prepare import with_prepared_settings
from segtopic.corpus.words import normal_form
from segtopic.errors import CorpusError
from tests.corpus.conftest import STORIES
from tests.corpus.test_tokenise import any_text, near_english


def config_for(path, **settings):
    return CorpusConfig(data=str(path), **settings)


@pytest.fixture
def prepared(tmp_path, stories):
    prepare_corpus(config_for(stories), tmp_path / "out", jobs=1)
    return tmp_path / "out"


def test_docstring_examples():
    for module in (segtopic.corpus, spans, tokenise):
        assert doctest.testmod(module).failed == 0


def test_documents_names_and_text(prepared):
    corpus = Corpus.load(prepared)
    assert corpus.ids == [f"s{i}" for i in range(10)]
    assert list(corpus.texts()) == STORIES
    spans = [corpus.vocabulary.decode(span) for span in corpus.documents.to_lists()[1]]
    # 'interest' is one of scikit-learn's stop words.
    assert spans == [["central", "bank", "raised"], ["rates"], ["rates", "hurt"]]


def test_offsets_point_at_the_words(prepared):
    corpus = Corpus.load(prepared)
    offsets = corpus.documents.word_offsets
    for d in range(len(corpus)):
        starts, ends = corpus.offsets(d)
        shown = [normal_form(corpus.text(d)[s:e]) for s, e in zip(starts, ends, strict=True)]
        words = corpus.documents.words[offsets[d] : offsets[d + 1]]
        assert shown == corpus.vocabulary.decode(words)


def test_new_text_is_encoded_as_the_corpus_was(prepared):
    corpus = Corpus.load(prepared)
    encoded = corpus.encoder().encode(STORIES)
    for name in ("words", "span_lengths", "spans_per_document"):
        np.testing.assert_array_equal(
            getattr(encoded.documents, name), getattr(corpus.documents, name)
        )


def test_memory_and_disk_agree(prepared):
    in_memory = corpus_from_texts(STORIES, ids=[f"s{i}" for i in range(10)])
    assert in_memory.equals(Corpus.load(prepared))


@given(st.lists(st.one_of(any_text, near_english), min_size=1, max_size=6))
def test_a_saved_and_loaded_corpus_is_equal(tmp_path_factory, texts):
    folder = tmp_path_factory.mktemp("corpus")
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in ["Abba", *texts]))
    settings = {"test_share": 0.0, "dev_share": 0.0, "min_word_length": 1}
    config = config_for(path, on_bad_line="skip", **settings)
    loaded = prepare_corpus(config, folder / "out", jobs=1).load()
    # JSON joins the halves of surrogate pairs, and text with a NUL is skipped.
    kept = [json.loads(json.dumps(text)) for text in texts if "\0" not in text]
    again = corpus_from_texts(["Abba", *kept], CorpusConfig(**settings))
    assert loaded.documents.to_lists() == again.documents.to_lists()
    assert loaded.vocabulary == again.vocabulary
    assert list(loaded.texts()) == list(again.texts())


def test_all_cores_give_the_same_corpus(tmp_path, stories, monkeypatch):
    monkeypatch.setattr(parallel, "BATCH_CHARACTERS", 60)
    monkeypatch.setattr(parallel, "SERIAL_BATCHES", 1)
    serial = prepare_corpus(config_for(stories), tmp_path / "serial", jobs=1)
    spread = prepare_corpus(config_for(stories), tmp_path / "spread", jobs=2)
    assert serial.load().equals(spread.load())
    for name in ("vocabulary.txt", "manifest.json", "documents.arrow"):
        assert (serial.folder / name).read_bytes() == (spread.folder / name).read_bytes()


def die(texts):
    os._exit(1)


def test_a_worker_that_dies_is_one_sentence(tmp_path, stories, monkeypatch):
    monkeypatch.setattr(parallel, "BATCH_CHARACTERS", 60)
    monkeypatch.setattr(parallel, "SERIAL_BATCHES", 1)
    monkeypatch.setattr(parallel, "_tokenise", die)
    with pytest.raises(CorpusError, match=r"worker process was killed.*--jobs 1"):
        prepare_corpus(config_for(stories), tmp_path / "out", jobs=2)
    assert os.listdir(tmp_path) == [stories.name]


class TestCurrency:
    def test_the_same_again_is_not_prepared_again(self, tmp_path, stories, prepared):
        assert not prepare_corpus(config_for(stories), prepared).fresh
        os.utime(stories)  # touched, but the same content
        assert not prepare_corpus(config_for(stories), prepared).fresh
        assert not prepare_corpus(config_for(stories, split_seed=5), prepared).fresh

    @pytest.mark.parametrize(
        "change",
        [{"vocabulary_size": 5}, {"stop_words": "none"}, {"lowercase": False}, {"limit": 9},
         {"text_column": "id"}, {"on_bad_line": "skip"}],
    )  # fmt: skip
    def test_a_changed_setting_is_noticed(self, stories, prepared, change):
        settings = {"test_share": 0.0, "dev_share": 0.0}
        if "text_column" in change:
            settings["numbers_are_words"] = True
        assert prepare_corpus(config_for(stories, **settings, **change), prepared).fresh

    def test_a_changed_file_is_noticed(self, stories, prepared):
        stories.write_text(stories.read_text() + '{"id": "new", "text": "river"}\n')
        assert prepare_corpus(config_for(stories), prepared).fresh
        assert len(Corpus.load(prepared)) == 11

    def test_a_changed_stop_word_file_is_noticed(self, tmp_path, stories):
        words = tmp_path / "stop.txt"
        words.write_text("river\n")
        config = config_for(stories, stop_words=str(words))
        assert prepare_corpus(config, tmp_path / "out").fresh
        assert not prepare_corpus(config, tmp_path / "out").fresh
        words.write_text("river\nbank\n")
        assert prepare_corpus(config, tmp_path / "out").fresh

    def test_large_sources_go_by_size_and_time(self, stories, prepared, monkeypatch):
        monkeypatch.setattr("segtopic.corpus.sources.DIGESTED_BYTES", 10)
        assert prepare_corpus(config_for(stories), prepared).fresh
        assert not prepare_corpus(config_for(stories), prepared).fresh
        os.utime(stories, ns=(1, 1))
        assert prepare_corpus(config_for(stories), prepared).fresh

    def test_a_damaged_corpus_is_prepared_again(self, stories, prepared):
        arrow = prepared / "documents.arrow"
        arrow.write_bytes(arrow.read_bytes()[:-100])
        assert prepare_corpus(config_for(stories), prepared).fresh
        assert len(Corpus.load(prepared)) == 10

    def test_the_cache_is_used_without_out(self, stories):
        first = prepare_corpus(config_for(stories))
        again = prepare_corpus(config_for(stories))
        assert first.fresh
        assert not again.fresh
        assert first.folder == again.folder

    def test_a_folder_with_other_things_is_left_alone(self, tmp_path, stories):
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "thesis.tex").write_text("years of work")
        with pytest.raises(CorpusError, match="is not a prepared corpus"):
            prepare_corpus(config_for(stories), tmp_path / "mine")
        assert (tmp_path / "mine" / "thesis.tex").exists()


def change_manifest(folder, **changes):
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


class TestDamage:
    def refused(self, folder, message):
        with pytest.raises(CorpusError, match=message):
            Corpus.load(folder)

    @pytest.mark.parametrize("keep", [0, 1, 100, 0.5, 0.9, 0.99])
    def test_a_truncated_arrow_file(self, prepared, keep):
        arrow = prepared / "documents.arrow"
        content = arrow.read_bytes()
        arrow.write_bytes(content[: int(len(content) * keep) if keep < 1 else keep])
        self.refused(prepared, "the corpus is damaged.*prepare it again")

    def test_flipped_bytes_never_crash(self, prepared):
        arrow = prepared / "documents.arrow"
        content = arrow.read_bytes()
        for position in range(8, len(content), 97):
            broken = bytearray(content)
            broken[position] ^= 0xFF
            arrow.write_bytes(broken)
            try:
                corpus = Corpus.load(prepared)
                assert corpus.documents.words.max() < len(corpus.vocabulary)
            except CorpusError:
                pass

    @pytest.mark.parametrize("name", ["documents.arrow", "vocabulary.txt"])
    def test_a_missing_file(self, prepared, name):
        (prepared / name).unlink()
        self.refused(prepared, name)

    def test_a_manifest_that_does_not_fit(self, prepared):
        summary = Corpus.load(prepared).summary
        change_manifest(prepared, summary=replace(summary, words=1).to_dict())
        self.refused(prepared, "does not fit")
        change_manifest(prepared, summary={})
        self.refused(prepared, "the corpus is damaged")
        change_manifest(prepared, rules={"settings": {"colour": 1}, "stop_words": []})
        self.refused(prepared, "the corpus is damaged")
        (prepared / "manifest.json").write_text("{")
        self.refused(prepared, "manifest.json")

    def test_a_foreign_folder(self, tmp_path, prepared):
        self.refused(tmp_path, "is not a prepared corpus")
        self.refused(tmp_path / "nothing", "is not a prepared corpus")
        change_manifest(prepared, format="something")
        self.refused(prepared, "belongs to something else")

    def test_a_newer_version(self, prepared, stories):
        change_manifest(prepared, format_version=99)
        self.refused(prepared, "format version 99, this segtopic reads up to 2; update segtopic")
        with pytest.raises(CorpusError, match="left as it is"):
            prepare_corpus(config_for(stories), prepared)


def test_summaries_of_two_parts_add_up():
    """But for the words outside the vocabulary, of which each names the most frequent only."""
    first, second = [*STORIES[:6], ""], [*STORIES[6:], "", "zzz"]
    corpus = corpus_from_texts(first)
    known = {"rules": corpus.rules, "vocabulary": corpus.vocabulary}
    together = corpus_from_texts([*first, *second], **known).summary
    added = corpus.summary.with_more(corpus_from_texts(second, **known).summary)
    assert replace(added, most_frequent_unknown=[]) == replace(together, most_frequent_unknown=[])
    assert added.unknown_words >= sum(count for _, count in added.most_frequent_unknown) > 0


def test_a_corpus_of_before_html_was_read(prepared):
    manifest = json.loads((prepared / "manifest.json").read_text())
    counted = ("missing_cells", "copies", "near_copies", "html_documents", "html_tags")
    for name in (*counted, "html_entities"):
        del manifest["summary"][name]
    for settings in (manifest["config"], manifest["rules"]["settings"]):
        del settings["clean_html"]
    (prepared / "manifest.json").write_text(json.dumps({**manifest, "format_version": 1}))
    corpus = Corpus.load(prepared)
    assert not corpus.rules.config.clean_html
    assert corpus.summary.html_tags == 0
    assert not with_prepared_settings(CorpusConfig(data=str(prepared))).clean_html
