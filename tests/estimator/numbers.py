"""The estimator behind a reader of tables, so that scikit-learn's own checks can feed it.

The checks make tables of numbers. Here every row becomes a text: its numbers, rounded, are spelled
as words, one for each column and value.
"""

import string

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from segtopic import SegTopic


class SegTopicOfNumbers(SegTopic):
    """Reads rows of numbers; everything else is the estimator's."""

    def fit(self, X, y=None):
        return super().fit(self._texts(X, reset=True))

    def partial_fit(self, X, y=None):
        if not hasattr(self, "trained_"):
            return self.fit(X)
        return super().partial_fit(self._texts(X, reset=False))

    def transform(self, X):
        check_is_fitted(self)
        return super().transform(self._texts(X, reset=False))

    def score(self, X, y=None):
        check_is_fitted(self)
        return super().score(self._texts(X, reset=False))

    def _texts(self, X, reset):
        table = validate_data(self, X, reset=reset, dtype="numeric")
        return [" ".join(map(spelled, range(len(row)), row)) for row in table]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = False
        tags.input_tags.one_d_array = False
        tags.input_tags.two_d_array = True
        return tags


def spelled(column, number):
    """A word for a number in a column, with three digits of it as letters."""
    digits = f"{abs(round(float(np.real(number)), 1)):04.1f}".replace(".", "")[-3:]
    sign = "m" if number < 0 else "p"
    name = "".join(string.ascii_lowercase[int(digit)] for digit in f"{column}{digits}")
    return f"x{sign}{name}"
