"""Documents drawn from a run: the same whenever and wherever they are drawn, and readable again."""

import json

import numpy as np
import pytest

from segtopic import SegTopic
from segtopic.cli import main
from segtopic.config import TokenConfig
from segtopic.corpus import Documents, SpanRules, TextEncoder, Vocabulary
from segtopic.errors import ConfigError
from segtopic.sample import DocumentSampler
from segtopic.sample.spelling import Spelling
from tests.training.planted import PHRASES, WORDS
from tests.training.runs import planted_run


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return planted_run(tmp_path_factory.mktemp("sampled"), epochs=4)


def test_planted_phrases_and_topics_come_again(trained):
    documents = list(DocumentSampler(trained).documents(200))
    found = {segment for document in documents for segment in document.segments}
    planted = {tuple(phrase) for topic in PHRASES for phrase in topic}
    assert len(planted & found) >= 8
    # A document that is nearly about one topic has its words.
    whole = [document for document in documents if document.topics.max() > 0.95]
    assert len(whole) > 20
    own = [
        set(words) | {word for phrase in phrases for word in phrase}
        for words, phrases in zip(WORDS, PHRASES, strict=True)
    ]
    purity = []
    for document in whole:
        words = [word for segment in document.segments for word in segment]
        purity.append(max(sum(word in topic for word in words) for topic in own) / len(words))
    assert np.mean(purity) > 0.8


def test_texts_are_read_as_the_words_that_were_drawn(trained):
    for document in DocumentSampler(trained, seed=3).documents(30):
        encoded = trained.encoder.encode([document.text]).documents
        words = [trained.vocabulary.words[word] for word in encoded.words]
        assert words == [word for segment in document.segments for word in segment]
        assert encoded.n_spans == document.text.count(",") + 1
        assert document.topics.sum() == pytest.approx(1)


def test_a_document_follows_its_number_and_the_seed(trained):
    sampler = DocumentSampler(trained, seed=5)
    all_ = [document.text for document in sampler.documents(40)]
    later = [document.text for document in sampler.documents(10, first=31)]
    assert later == all_[30:]
    assert [document.id for document in sampler.documents(1, first=31)] == ["sampled-31"]
    other = [document.text for document in DocumentSampler(trained, seed=6).documents(40)]
    assert not set(all_) & set(other)


def test_lengths_are_those_of_the_training_documents(trained):
    sampled = list(DocumentSampler(trained).documents(50))
    training = trained.corpus.train
    encoded = trained.encoder.encode([document.text for document in sampled]).documents
    assert set(encoded.spans_per_document) <= set(training.spans_per_document)
    assert set(encoded.span_lengths) <= set(training.span_lengths)


def test_the_command_and_the_estimator_draw_the_same(trained, tmp_path, capsys):
    out = tmp_path / "sampled.jsonl"
    arguments = ["sample", str(trained.folder), "--documents", "7", "--seed", "2", "--truth"]
    assert main([*arguments, "--out", str(out)]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    drawn = SegTopic.load(trained.folder).sample(7, seed=2)
    assert [row["text"] for row in rows] == [document.text for document in drawn]
    assert rows[0]["segments"] == [" ".join(segment) for segment in drawn[0].segments]
    assert sum(rows[0]["topics"]) == pytest.approx(1, abs=1e-3)
    capsys.readouterr()
    assert main([*arguments[:-1], "--documents", "3", "--json"]) == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert printed == [{"id": row["id"], "text": row["text"]} for row in rows[:3]]


def test_an_interrupted_output_goes_on(trained, tmp_path, monkeypatch):
    monkeypatch.setattr("segtopic.sample.sampler.BATCH", 4)
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    arguments = ["sample", str(trained.folder), "--documents", "11"]
    assert main([*arguments, "--out", str(whole)]) == 0
    draw = DocumentSampler.draw

    def interrupted(self, numbers):
        if numbers[0] == 5:
            raise KeyboardInterrupt
        return draw(self, numbers)

    with monkeypatch.context() as patched:
        patched.setattr(DocumentSampler, "draw", interrupted)
        assert main([*arguments, "--out", str(out)]) == 130
    assert main([*arguments, "--out", str(out), "--resume", "--workers", "1"]) == 0
    assert out.read_bytes() == whole.read_bytes()


def test_workers_write_the_same_bytes(trained, tmp_path, monkeypatch, capsys):
    arguments = ["sample", str(trained.folder), "--documents", "30", "--first", "4", "--truth"]
    assert main([*arguments, "--out", str(tmp_path / "one")]) == 0
    monkeypatch.setattr("segtopic.sample.sampler.BATCH", 7)
    assert main([*arguments, "--out", str(tmp_path / "two"), "--workers", "2"]) == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    capsys.readouterr()
    assert main([*arguments, "--workers", "1"]) == 0
    assert capsys.readouterr().out == (tmp_path / "one").read_text()


def test_mistakes(trained, tmp_path, capsys):
    def says(*arguments):
        assert main(["sample", str(trained.folder), *arguments]) == 2
        return capsys.readouterr().err

    assert "documents is 0, but must be at least 1" in says("--documents", "0")
    assert "--resume needs --out" in says("--resume")
    assert "--workers is 0" in says("--workers", "0")
    bare = trained.save(tmp_path / "bare", documents=False)
    assert main(["sample", str(bare.folder)]) == 2
    assert "was saved without its documents" in capsys.readouterr().err
    charged = planted_run(tmp_path, epochs=1, continuation="roles", last_step="charged")
    with pytest.raises(ConfigError, match="last_step 'charged'"):
        DocumentSampler(charged)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"punctuation_ends_spans": False},
        {"punctuation_ends_spans": False, "stop_words_end_spans": False},
    ],
)
def test_spans_are_parted_by_what_ends_them(settings):
    vocabulary = Vocabulary(("bank", "river"), np.array([1, 1]), np.array([1, 1]))
    rules = SpanRules(TokenConfig(**settings), frozenset({"the"}))
    documents = Documents.from_lists([[[1, 0], [0]], [[1]], []])
    texts = list(Spelling(vocabulary, rules).texts(documents))
    again = TextEncoder(vocabulary, rules).encode(texts).documents
    assert again.to_lists() == documents.to_lists()
