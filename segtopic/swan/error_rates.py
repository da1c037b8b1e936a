"""How wrong outputs are: words and symbols, as speech and spelling people count them.

A word is right if its one best output equals any of its references. Symbol errors are the edits to
the closest reference, over that reference's length.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein


class ErrorCounts(NamedTuple):
    """Of each sequence, ``(N,)`` all."""

    wrong: NDArray[np.int64]  # 1 or 0
    edits: NDArray[np.int64]
    symbols: NDArray[np.int64]  # in the closest reference

    @property
    def word_error(self) -> float:
        """Share of the sequences that are wrong."""
        return float(self.wrong.mean())

    @property
    def symbol_error(self) -> float:
        """Edits over symbols."""
        return float(self.edits.sum() / max(self.symbols.sum(), 1))


def count_errors(
    outputs: Sequence[Sequence[Any]], references: Sequence[Sequence[Sequence[Any]]]
) -> ErrorCounts:
    """Compare one output each with one or more references each.

    >>> count_errors(["CAT", "DG"], [["CAT"], ["DOGS", "DOG"]]).symbol_error
    0.16666666666666666
    """
    rows = []
    for output, right in zip(outputs, references, strict=True):
        if any(tuple(output) == tuple(reference) for reference in right):
            rows.append((0, 0, len(output)))
        else:
            edits, length = min((Levenshtein.distance(output, each), len(each)) for each in right)
            rows.append((1, edits, length))
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return ErrorCounts(*columns.T)
