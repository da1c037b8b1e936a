"""What the estimators are given: texts as a list of strings, pairs as sequences of symbols.

>>> texts_of(pd.Series(["New York", ""]))
['New York', '']
>>> texts_of(["New York", None])
Traceback (most recent call last):
segtopic.estimator.inputs.TextError: text 1 is missing (None); drop it, or put '' in its place
>>> sequence_of("CAT", ""), sequence_of("K AE T", " "), sequence_of(["K", "AE"], "")
(('C', 'A', 'T'), ('K', 'AE', 'T'), ('K', 'AE'))
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pandas as pd

from segtopic.config import PairsConfig
from segtopic.errors import ConfigError, CorpusError
from segtopic.swan.pairs import Entry, Pair, Symbols, Writing, split_symbols


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


def sequences_of(given: Any) -> list[Any]:
    """The sequences of a list, an array or a column of a table."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise TextError(
            f"a list of sequences expected, but got {type(given).__name__}; put a single one into "
            "a list"
        )
    return list(given)


def sequence_of(given: Any, separator: str) -> Symbols:
    """The symbols of a text, or of a list of them."""
    if isinstance(given, str):
        return split_symbols(given, separator)
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise TextError(
            f"a sequence is a text or a list of symbols, but one is of type {type(given).__name__}"
        )
    symbols = tuple(given)
    for symbol in symbols:
        if not isinstance(symbol, str) or not symbol:
            raise TextError(f"a symbol is a text that is not empty, but one is {symbol!r}")
    return symbols


def pairs_given(X: Any, y: Any, config: PairsConfig) -> list[Pair]:
    """The pairs, given as such or as inputs and outputs."""
    both = sequences_of(X) if y is None else _side_by_side(sequences_of(X), sequences_of(y))
    writing, pairs = Writing.of(config), []
    for place, given in enumerate(both):
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise TextError(f"pair {place} is no pair of an input and an output")
        sides = list(given)
        if len(sides) != 2:
            raise TextError(f"pair {place} has {len(sides)} parts, but must be input and output")
        inputs = sequence_of(sides[0], writing.input_separator)
        if not inputs:
            raise TextError(f"pair {place} has an empty input; leave it out")
        pairs.append(Pair(inputs, sequence_of(sides[1], writing.output_separator)))
    return pairs


def entries_of(X: Any, y: Any, config: PairsConfig) -> list[Entry]:
    """The different inputs in their order, each with all its outputs."""
    found: dict[Symbols, dict[Symbols, None]] = {}
    for inputs, outputs in pairs_given(X, y, config):
        found.setdefault(inputs, {})[outputs] = None
    if not found:
        raise TextError("there are no pairs; give some")
    return [Entry(inputs, tuple(outputs)) for inputs, outputs in found.items()]


def _side_by_side(inputs: Sequence[Any], outputs: Sequence[Any]) -> list[tuple[Any, Any]]:
    if len(inputs) != len(outputs):
        raise TextError(f"there are {len(inputs)} inputs, but {len(outputs)} outputs")
    return list(zip(inputs, outputs, strict=True))
