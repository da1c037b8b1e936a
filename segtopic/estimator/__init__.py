"""The models as scikit-learn estimators: texts or pairs in; arrays, phrases, outputs out."""

from segtopic.estimator.estimator import SegTopic
from segtopic.estimator.inputs import ParameterError, TextError
from segtopic.estimator.swan import Swan

__all__ = ["ParameterError", "SegTopic", "Swan", "TextError"]
