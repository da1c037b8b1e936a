"""What the estimator is given: anything that holds texts in, a list of strings out.

>>> texts_of(pd.Series(["New York", ""]))
['New York', '']
>>> texts_of(["New York", None])
Traceback (most recent call last):
segtopic.estimator.inputs.TextError: text 1 is missing (None); drop it, or put '' in its place
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pandas as pd

from segtopic.errors import ConfigError, CorpusError


class TextError(CorpusError, ValueError):
    """Texts that cannot be used; scikit-learn expects a ``ValueError``."""


class ParameterError(ConfigError, ValueError):
    """A parameter of the estimator that cannot be used."""


@contextmanager
def value_errors() -> Iterator[None]:
    """Whatever is wrong with settings or texts is a ``ValueError`` to users of scikit-learn."""
    try:
        yield
    except ConfigError as error:
        raise ParameterError(str(error)) from None
    except CorpusError as error:
        raise TextError(str(error)) from None


def texts_of(documents: Any) -> list[str]:
    """The texts of a list, an array or a column of a table, each known to be one."""
    if isinstance(documents, (str, bytes)):
        raise TextError(
            "Iterable over raw text documents expected, string object received; "
            "put a single text into a list"
        )
    kind = type(documents).__name__
    if getattr(documents, "ndim", 1) != 1:
        raise TextError(
            f"texts expected, but got a {kind} of shape {documents.shape}; pass one column of text"
        )
    if not isinstance(documents, Iterable):
        raise TextError(f"a list of texts expected, but got {kind}")
    texts = list(documents)
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise TextError(f"text {place} {_what_is_wrong(text)}")
        if "\0" in text:
            raise TextError(f"text {place} holds a NUL byte: this looks like binary data, not text")
    return texts


def _what_is_wrong(value: Any) -> str:
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return f"is missing ({value}); drop it, or put '' in its place"
    return f"is of type {type(value).__name__}, but must be a string"
