"""Which documents train, stop early and test: a seed and a number of documents in, indices out.

Copies of a document go where the first of them goes, so that no test document was learned. Where
there are none, the split is that of the documents' number alone.
"""

from dataclasses import dataclass

import numpy as np

from segtopic.config import SplitConfig
from segtopic.corpus.documents import IntArray
from segtopic.errors import CorpusError

PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class Split:
    """Document indices, each part sorted; no document is in two parts."""

    train: IntArray
    dev: IntArray
    test: IntArray

    def part_of(self, document: int) -> str:
        """The part that a document is in."""
        return next(name for name in PARTS if np.any(getattr(self, name) == document))


def split_documents(n_documents: int, config: SplitConfig, first: IntArray | None = None) -> Split:
    """A random split that depends on the number of documents, the settings and the copies only.

    The test part is drawn first, so that another ``dev_share`` leaves it as it is.

    Args:
        n_documents: to be split.
        config: shares and seed.
        first: ``(D,)`` the first of the copies that each document belongs to, itself if it has
            none; see :mod:`segtopic.corpus.copies`.
    """
    n_test = round(n_documents * config.test_share)
    n_dev = round(n_documents * config.dev_share)
    n_train = n_documents - n_test - n_dev
    wanted = (("train", True), ("dev", config.dev_share > 0), ("test", config.test_share > 0))
    empty = [
        name
        for (name, needed), size in zip(wanted, (n_train, n_dev, n_test), strict=True)
        if needed and size < 1
    ]
    if empty:
        raise CorpusError(
            f"too few documents ({n_documents}): the {' and '.join(empty)} part of the split "
            f"would be empty (test_share {config.test_share}, dev_share {config.dev_share}); give "
            "more documents (one a line with --input-format lines?), or other shares, 0 for no "
            "such part"
        )
    order = np.random.default_rng(config.split_seed).permutation(n_documents)
    places: IntArray = np.zeros(n_documents, dtype=np.int8)
    places[order[n_test : n_test + n_dev]] = PARTS.index("dev")
    places[order[:n_test]] = PARTS.index("test")
    if first is not None:
        together = _copies_together(places, first)
        # Where there is hardly anything but copies, a part that cannot be filled is no help.
        if set(np.unique(together)) == set(np.unique(places)):
            places = together
    return Split(*(np.flatnonzero(places == place) for place in range(len(PARTS))))


def _copies_together(places: IntArray, first: IntArray) -> IntArray:
    """``(D,)`` parts in which copies follow the first of them.

    Many copies of one text would be most of a small part; they are learned instead.
    """
    copies = np.bincount(first, minlength=len(first))[first]
    size_of_part = np.bincount(places, minlength=len(PARTS))
    fits = (copies == 1) | (copies * 2 <= size_of_part[places[first]])
    together: IntArray = np.where(fits, places[first], PARTS.index("train")).astype(np.int8)
    return together
