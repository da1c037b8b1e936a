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
    assert list(table.columns) == ["segtopic0", "segtopic1", "segtopic2"]
    np.testing.assert_allclose(table.sum(axis=1), 1)
    assert list(fitted.get_feature_names_out()) == list(table.columns)


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
