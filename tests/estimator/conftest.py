"""A tiny corpus with planted topics and phrases, and a model that was fitted to it once."""

import pytest

from segtopic import SegTopic
from tests.training.planted import planted_texts

SMALL = {
    "n_topics": 3,
    "hidden_size": 8,
    "encoder_size": 16,
    "dropout": 0.1,
    "epochs": 3,
    "batch_size": 16,
    "learning_rate": 1e-2,
    "kl_warmup": 1,
    "refine_steps": 4,
    "random_state": 0,
}


def small(**parameters):
    return SegTopic(**{**SMALL, **parameters})


@pytest.fixture(scope="package")
def planted():
    return planted_texts(60)


@pytest.fixture(scope="package")
def texts(planted):
    return planted[0][:45]


@pytest.fixture(scope="package")
def new_texts(planted):
    return planted[0][45:]


@pytest.fixture(scope="package")
def fitted(texts):
    """Not to be changed."""
    return small().fit(texts)
