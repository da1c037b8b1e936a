"""The split: disjoint, complete, seeded, and independent of everything else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.config import SplitConfig
from segtopic.corpus import split_documents
from segtopic.errors import CorpusError


@given(st.integers(10, 500), st.integers(0, 5))
def test_every_document_is_in_one_part(n_documents, seed):
    split = split_documents(n_documents, SplitConfig(split_seed=seed))
    parts = np.concatenate([split.train, split.dev, split.test])
    assert sorted(parts.tolist()) == list(range(n_documents))
    assert len(split.test) == len(split.dev) == round(n_documents / 10)


def test_the_seed_decides():
    first, again = (split_documents(100, SplitConfig()) for _ in range(2))
    np.testing.assert_array_equal(first.test, again.test)
    other = split_documents(100, SplitConfig(split_seed=1))
    assert not np.array_equal(first.test, other.test)
    more_dev = split_documents(100, SplitConfig(dev_share=0.3))
    np.testing.assert_array_equal(first.test, more_dev.test)


def test_too_few_documents_are_an_error_unless_no_part_is_wanted():
    with pytest.raises(CorpusError, match="3 documents are too few: the dev and test part"):
        split_documents(3, SplitConfig())
    split = split_documents(3, SplitConfig(test_share=0.0, dev_share=0.0))
    assert split.train.tolist() == [0, 1, 2]
