"""Which documents train, stop early and test: a seed and a number of documents in, indices out."""

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


def split_documents(n_documents: int, config: SplitConfig) -> Split:
    """A random split that depends on nothing but the number of documents and the settings.

    The test part is drawn first, so that another ``dev_share`` leaves it as it is.
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
    return Split(
        train=np.sort(order[n_test + n_dev :]),
        dev=np.sort(order[n_test : n_test + n_dev]),
        test=np.sort(order[:n_test]),
    )
