"""What is taken for texts, and what is refused with the reason."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from segtopic.errors import SegtopicError
from segtopic.estimator.inputs import texts_of

TEXTS = ["New York", "", "Ende"]


@pytest.mark.parametrize(
    "kind",
    [list, tuple, np.array, pd.Series, pd.Index, iter, lambda t: np.array(t, dtype=object)],
    ids=["list", "tuple", "array", "Series", "Index", "iterator", "objects"],
)
def test_whatever_holds_texts(kind):
    assert texts_of(kind(TEXTS)) == TEXTS


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("New York", "Iterable over raw text documents expected, string object received"),
        (["a", None], r"text 1 is missing \(None\); drop it"),
        (pd.Series(["a", np.nan]), r"text 1 is missing \(nan\)"),
        (pd.Series(["a", pd.NA], dtype=object), r"text 1 is missing \(<NA>\)"),
        ([b"bytes"], "text 0 is of type bytes, but must be a string"),
        (["a", ["b"]], "text 1 is of type list, but must be a string"),
        (np.arange(3), "text 0 is of type int64"),
        (np.array([["a", "b"]]), r"got a ndarray of shape \(1, 2\); pass one column of text"),
        (pd.DataFrame({"text": ["a"]}), "got a DataFrame of shape"),
        (sparse.eye_array(2), r"of shape \(2, 2\); pass one column of text"),
        (7, "a list of texts expected, but got int"),
        (["a", "b\0c"], "text 1 holds a NUL byte"),
    ],
)
def test_what_holds_no_texts(given, message):
    with pytest.raises(ValueError, match=message) as caught:
        texts_of(given)
    assert isinstance(caught.value, SegtopicError)
