import warnings

import pytest
from gensim.test.utils import datapath

from segtopic import SegTopic
from segtopic.training.system import Collapse
from tests.training.runs import planted_run


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A run that knows the planted phrases."""
    return planted_run(tmp_path_factory.mktemp("trained"), epochs=8)


@pytest.fixture(scope="session")
def lee():
    """News stories."""
    with open(datapath("lee_background.cor"), encoding="utf-8") as lines:
        return list(lines)


@pytest.fixture(scope="session")
def news(lee):
    """A model of real news, with a grammar."""
    small = {"n_topics": 2, "hidden_size": 8, "encoder_size": 8, "epochs": 1, "random_state": 0}
    model = SegTopic(**small, refine_steps=2, dev_share=0.1, vocabulary_size=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Collapse)  # of topics, which are not asked for here
        return model.fit(lee[:150]).trained_
