"""The estimator among others: pipelines, searches, pandas, and as a tokeniser for other models."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from gensim.corpora import Dictionary
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from tests.estimator.conftest import small
from tests.training.planted import PHRASES


def test_in_a_pipeline(planted, texts, new_texts):
    labels = planted[1]
    pipeline = make_pipeline(small(), LogisticRegression()).fit(texts, labels[:45])
    assert pipeline.score(new_texts, labels[45:]) > 0.9


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_in_a_search(texts, n_jobs):
    grid = {"n_topics": [1, 3], "max_segment_length": [1, 3]}
    search = GridSearchCV(small(), grid, cv=2, n_jobs=n_jobs, refit=False, error_score="raise")
    search.fit(pd.Series(texts))
    assert search.best_params_ == {"n_topics": 3, "max_segment_length": 3}


def test_tables_in_and_out(fitted, new_texts):
    series = pd.Series(new_texts, index=[f"d{i}" for i in range(len(new_texts))])
    model = small(epochs=1).set_output(transform="pandas")
    table = model.fit_transform(series)
    assert list(table.index) == list(series.index)
    info = model.get_topic_info()
    names = dict(zip(info["Topic"], info["Name"], strict=True))
    assert list(table.columns) == [names[number] for number in range(3)]
    assert list(table.columns) == list(model.get_feature_names_out())
    np.testing.assert_allclose(table.sum(axis=1), 1)


def test_names_and_merged_topics_are_columns(texts, new_texts, tmp_path):
    model = small(epochs=1).fit(texts).set_output(transform="pandas")
    before = model.transform(new_texts)
    model.name_topics({0: "Rivers", 1: "Banks"}).merge_topics([(2, 0)])
    table = model.transform(new_texts)
    assert table.columns[0] == "Banks"
    assert table.shape == (len(new_texts), 2)
    together = before.iloc[:, 2] + before.iloc[:, 0]
    np.testing.assert_allclose(table.iloc[:, 1], together)
    model.name_topics({2: "Water"})
    assert list(model.get_feature_names_out()) == ["Banks", "Water"]
    main = model.get_document_info(new_texts)
    assert set(main["Topic"]) <= {1, 2}
    assert set(model.get_topic_info()["Topic"]) == {1, 2}
    assert model.get_topic_info()["Count"].sum() == len(model.trained_.corpus.split.train)
    with pytest.raises(ValueError, match="topic 0 is merged"):
        model.top_phrases(0)
    model.save(tmp_path / "with")
    again = type(model).load(tmp_path / "with")
    assert list(again.get_feature_names_out()) == ["Banks", "Water"]
    model.save(tmp_path / "without", documents=False)
    bare = type(model).load(tmp_path / "without").merge_topics([])
    assert list(bare.get_feature_names_out()) == ["Rivers", "Banks", "Water"]
    assert bare.transform(new_texts[:1]).shape == (1, 3)
    assert len(model.merge_topics([]).reduce_topics(2).get_feature_names_out()) == 2
    with pytest.raises(ValueError, match="topic 7 is named"):
        model.name_topics({7: "x"})
    with pytest.raises(ValueError, match="there is no topic 7"):
        model.merge_topics([(0, 7)])


class TestTokeniser:
    """What ``CountVectorizer``, and through it BERTopic's ``vectorizer_model``, asks for."""

    def test_for_scikit_learn(self, fitted, new_texts):
        vectorizer = CountVectorizer(analyzer=fitted)
        counts = vectorizer.fit_transform(new_texts)
        names = vectorizer.get_feature_names_out()
        assert {"_".join(words) for topic in PHRASES for words in topic} <= set(names)
        first = fitted(new_texts[0])
        assert counts[0].sum() == len(first)
        assert set(names[counts[0].indices]) == set(first)

    def test_a_clone_keeps_what_was_learned(self, fitted, new_texts):
        vectorizer = clone(CountVectorizer(analyzer=fitted.tokenize))
        assert vectorizer.fit(new_texts).vocabulary_.keys() == {
            token for text in new_texts for token in fitted(text)
        }

    def test_for_gensim(self, fitted, new_texts):
        dictionary = Dictionary([fitted(text) for text in new_texts])
        assert "_".join(PHRASES[0][0]) in dictionary.token2id

    def test_only_texts(self, fitted):
        assert fitted("") == []
        with pytest.raises(ValueError, match="a text expected, but got list"):
            fitted(["a text"])


def test_the_package_stays_quick_to_import():
    code = "import sys, segtopic; assert 'SegTopic' in dir(segtopic) and 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
