"""The model as a scikit-learn estimator: lists of texts in, arrays, phrases and tables out."""

from segtopic.estimator.estimator import SegTopic
from segtopic.estimator.inputs import ParameterError, TextError

__all__ = ["ParameterError", "SegTopic", "TextError"]
