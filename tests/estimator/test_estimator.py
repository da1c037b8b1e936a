"""The estimator does what its methods say, on a corpus with planted topics and phrases."""

import copy
import math

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from segtopic import SegTopic
from segtopic.commands.train import train
from segtopic.config import RunConfig, TrainerConfig
from segtopic.errors import RunError
from segtopic.evaluate.predictive import evaluate_model
from segtopic.runs import load_run
from segtopic.segment import Segmenter
from tests.estimator.conftest import SMALL, small
from tests.training.planted import PHRASES, WORDS, planted_file, planted_texts


def test_topics_are_shares_that_tell_the_planted_topics_apart(fitted, planted, new_texts):
    theta = fitted.transform(new_texts)
    assert theta.shape == (15, 3)
    assert theta.dtype == np.float64
    np.testing.assert_allclose(theta.sum(1), 1)
    found, planted_topics = theta.argmax(1), planted[1][45:]
    assert len({(a, b) for a, b in zip(found, planted_topics, strict=True)}) == 3


def test_the_same_seed_gives_the_same_model_and_leaves_the_users_numbers_alone(
    fitted, texts, new_texts
):
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    again = small().fit(texts)
    assert torch.equal(torch.rand(3), expected)
    np.testing.assert_array_equal(again.transform(new_texts), fitted.transform(new_texts))
    other = small(random_state=1).fit(texts)
    assert not np.allclose(other.transform(new_texts), fitted.transform(new_texts))


def test_fit_is_silent_and_leaves_nothing_behind(texts, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    small(epochs=1).fit(texts)
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")
    small(epochs=2, verbose=1).fit(texts)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("[SegTopic] epoch") == 2


def test_score_is_that_of_the_evaluation(fitted, new_texts):
    documents = fitted.trained_.encoder.encode(new_texts).documents
    expected = evaluate_model(fitted.model_, documents, fitted.refine_steps, n_samples=1)
    assert fitted.score(new_texts) == pytest.approx(expected.refined.per_word, abs=1e-5)
    assert fitted.perplexity(new_texts) == pytest.approx(math.exp(-fitted.score(new_texts)))
    with pytest.raises(ValueError, match="nothing to score"):
        fitted.score(["", "unheard"])


def test_phrases_have_their_places_in_the_text(fitted, new_texts):
    text = new_texts[0]
    phrases = fitted.segment(text)
    together, nothing = fitted.segment([text, ""])
    assert [phrase.text for phrase in together] == [phrase.text for phrase in phrases]
    assert nothing == []
    assert all(text[phrase.start : phrase.end] == phrase.text for phrase in phrases)
    assert all(0 < phrase.probability <= 1 for phrase in phrases)
    found = {phrase.words for one in fitted.segment(new_texts) for phrase in one}
    assert {tuple(words) for topic in PHRASES for words in topic} <= found


def test_boundaries_go_with_the_words(fitted, new_texts):
    text = new_texts[0]
    boundaries = fitted.boundary_proba(text)
    words = [word for phrase in fitted.segment(text) for word in phrase.words]
    assert len(boundaries) == len(words)
    assert boundaries[-1] == 1
    assert ((boundaries >= 0) & (boundaries <= 1)).all()
    several = fitted.boundary_proba([text, ""])
    np.testing.assert_allclose(several[0], boundaries, rtol=1e-4)
    assert len(several[1]) == 0


def test_empty_texts_have_the_expected_topics(fitted):
    theta = fitted.transform(["", "unheard of"])
    np.testing.assert_allclose(theta.sum(1), 1)
    np.testing.assert_array_equal(theta[0], theta[1])
    assert fitted.transform([]).shape == (0, 3)


def test_topics_in_words(fitted):
    topics = fitted.get_topics(n=4)
    assert sorted(topics) == [0, 1, 2]
    planted_phrases = {" ".join(words) for topic in PHRASES for words in topic}
    for number, phrases in topics.items():
        listed = fitted.top_phrases(number, n=4)
        assert [(phrase, probability) for phrase, probability, _ in listed] == phrases
        assert planted_phrases & {phrase for phrase, _ in phrases}
        assert all(0 < probability < 1 and count > 0 for _, probability, count in listed)
    assert len(fitted.top_phrases(0, n=40)) == 40
    with pytest.raises(ValueError, match="topic is 3, but must be one of 0 to 2"):
        fitted.top_phrases(3)


def test_tables(fitted, texts, new_texts):
    info = fitted.get_topic_info()
    assert list(info.columns) == ["Topic", "Count", "Share", "Name", "Representation"]
    assert info["Count"].sum() == fitted.trained_.corpus.train.n_documents
    assert info["Share"].sum() == pytest.approx(1, abs=1e-5)
    assert info["Share"].is_monotonic_decreasing
    series = pd.Series(new_texts, index=[f"d{i}" for i in range(len(new_texts))])
    documents = fitted.get_document_info(series)
    assert list(documents.index) == list(series.index)
    theta = fitted.transform(new_texts)
    assert documents["Topic"].tolist() == theta.argmax(1).tolist()
    np.testing.assert_allclose(documents["Probability"], theta.max(1))
    names = dict(zip(info["Topic"], info["Name"], strict=True))
    assert documents["Name"].tolist() == [names[topic] for topic in documents["Topic"]]
    assert len(fitted.get_document_info([])) == 0


class TestPartialFit:
    def test_begins_like_fit(self, fitted, texts, new_texts):
        begun = small().partial_fit(texts)
        np.testing.assert_array_equal(begun.transform(new_texts), fitted.transform(new_texts))

    def test_goes_on_with_the_same_words_and_more_phrases(self, texts, new_texts):
        model = small(partial_epochs=2).fit(texts)
        words, n_documents = model.vocabulary_, model.trained_.corpus.train.n_documents
        word, other = WORDS[0][0], WORDS[1][0]
        assert model(f"{word} {other}") == [word, other]
        model.partial_fit([f"{word} {other}, "] * 6 + new_texts)
        assert model.vocabulary_ is words
        assert model.trained_.corpus.train.n_documents > n_documents
        assert model(f"{word} {other}") == [f"{word}_{other}"]

    def test_the_summary_tells_of_all_texts(self, texts, new_texts):
        model = small(partial_epochs=1, epochs=1).fit(texts)
        before = model.trained_.corpus.manifest["summary"]
        model.partial_fit([*new_texts, "", "unheard of"])
        corpus = model.trained_.corpus
        summary = corpus.manifest["summary"]
        assert summary["documents"] == len(corpus) == before["documents"] + len(new_texts)
        assert summary["words"] == corpus.documents.n_words > before["words"]
        assert summary["documents_read"] == len(texts) + len(new_texts) + 2
        assert (summary["dropped_empty"], summary["dropped_no_known_word"]) == (1, 1)
        assert "unheard" in dict(summary["most_frequent_unknown"])

    def test_too_little(self, fitted):
        with pytest.raises(ValueError, match="too few texts with known words"):
            fitted.partial_fit(["unheard of"])
        with pytest.raises(ValueError, match="partial_epochs is 0"):
            copy.deepcopy(fitted).set_params(partial_epochs=0).partial_fit(["a"])


class TestFewTexts:
    def test_a_dozen_short_ones(self):
        texts = ["New York is a city.", "Money in the bank", "The river bank", "A city river"] * 3
        model = small(n_topics=None, epochs=1).fit(texts)
        assert model.n_topics_ == 2
        assert model.transform(["New York"]).shape == (1, 2)

    @pytest.mark.parametrize(
        ("texts", "message"),
        [
            ([], "holds no documents with text"),
            (["", " "], "holds no documents with text"),
            (["New York"], "too few texts with known words"),
            (["the", "of the"], "no word is left for the vocabulary"),
        ],
    )
    def test_too_few(self, texts, message):
        with pytest.raises(ValueError, match=message):
            small().fit(texts)


class TestSaving:
    def test_a_loaded_model_is_the_saved_one(self, fitted, new_texts, tmp_path):
        fitted.save(tmp_path / "model")
        loaded = SegTopic.load(tmp_path / "model")
        np.testing.assert_array_equal(loaded.transform(new_texts), fitted.transform(new_texts))
        assert loaded.get_topics() == fitted.get_topics()
        assert loaded.config_ == fitted.config_
        changed = {"batch_size", "n_topics"}  # by the number of documents, if they were not given
        ours, theirs = fitted.get_params(), loaded.get_params()
        assert {k for k in ours if ours[k] != theirs[k]} <= changed
        loaded.partial_fit(new_texts)

    def test_the_command_line_opens_it(self, fitted, new_texts, tmp_path):
        fitted.save(tmp_path / "model")
        run = load_run(tmp_path / "model")
        (document,) = Segmenter.of(run).segment(new_texts[:1])
        assert document.phrases == fitted.segment(new_texts[0])
        assert run.texts([3])[3] == run.corpus.table["text"][3].as_py()

    def test_documents_can_be_kept_back(self, fitted, new_texts, tmp_path):
        fitted.save(tmp_path / "model", documents=False)
        loaded = SegTopic.load(tmp_path / "model")
        np.testing.assert_array_equal(loaded.transform(new_texts), fitted.transform(new_texts))
        with pytest.raises(RunError, match="was saved without its documents"):
            loaded.get_topics()

    def test_nothing_else_is_overwritten(self, fitted, tmp_path):
        (tmp_path / "letters").mkdir()
        (tmp_path / "letters" / "dear.txt").write_text("Dear reader")
        with pytest.raises(RunError, match="holds something else than a model"):
            fitted.save(tmp_path / "letters", overwrite=True)
        fitted.save(tmp_path / "model")
        with pytest.raises(RunError, match="holds a model already; pass overwrite=True"):
            fitted.save(tmp_path / "model")
        fitted.save(tmp_path / "model", overwrite=True)
        assert {path.name for path in tmp_path.iterdir()} == {"letters", "model"}

    def test_damaged_documents_are_one_sentence(self, fitted, tmp_path):
        fitted.save(tmp_path / "model")
        path = tmp_path / "model" / "documents.arrow"
        path.write_bytes(path.read_bytes()[:-8])
        with pytest.raises(RunError, match=r"documents\.arrow: has changed"):
            SegTopic.load(tmp_path / "model").get_topics()


def test_fit_is_the_training_of_the_command_line(new_texts, tmp_path):
    """The same documents, settings and seed give the same weights, and either opens the other's."""
    settings = {name: value for name, value in SMALL.items() if name != "random_state"}
    source = planted_file(tmp_path, n_documents=45)
    config = RunConfig(data=str(source), test_share=0.0, seed=0, **settings)
    run = train(config, tmp_path / "run", TrainerConfig(accelerator="cpu"))
    model = small().fit(planted_texts(45)[0])
    ours, theirs = model.model_.state_dict(), run.model.state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    loaded = SegTopic.load(tmp_path / "run")
    np.testing.assert_array_equal(loaded.transform(new_texts), model.transform(new_texts))
    assert loaded.get_topics() == model.get_topics()


def test_before_fit(texts):
    model = SegTopic()
    for method in (model.transform, model.score, model.segment, model.get_document_info):
        with pytest.raises(NotFittedError):
            method(texts)
    for method in (model.get_topics, model.get_topic_info):
        with pytest.raises(NotFittedError):
            method()
    assert not hasattr(clone(model), "model_")
