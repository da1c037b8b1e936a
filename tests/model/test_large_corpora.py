"""What is bounded for large corpora: the model stays one, and small corpora notice nothing."""

import itertools

import pytest
import torch

from segtopic.corpus import Documents, repeated
from segtopic.model import first_topics
from segtopic.model.lda import sample_topics
from segtopic.model.topic_model import Latent
from tests.model.test_topic_model import NESTED, WHOLE, batch_of, model_of


@pytest.fixture
def large(monkeypatch):
    monkeypatch.setattr(repeated, "COUNTED_WORDS", 0)


def test_a_memory_of_what_came_again_is_normalised(large):
    model = model_of(3, **WHOLE)
    memory = model.scorer.continuation.phrases
    assert memory.counts_2.min() >= 2
    texts = [[list(words)] for words in itertools.product(range(3), repeat=4)]
    batch = batch_of(texts, 3)
    zeta = torch.randn(1, 3).double().expand(len(texts), -1)
    latent = Latent(zeta, torch.zeros(len(texts)).double())
    likelihood = model.log_likelihood(latent, batch, batch.earlier)
    assert likelihood.exp().sum().item() == pytest.approx(1.0, abs=1e-12)


def test_leaving_a_document_out_leaves_no_negative_count(large):
    """Its rare sequences were not counted, so they must not be taken away."""
    model = model_of(3, **WHOLE)
    batch = batch_of(NESTED, 3)
    mass = model.scorer.continuation.phrases(batch.levels, leave_out=True)
    for values in (*mass.known, *mass.left_over):
        assert (values >= 0).all()
        assert (values <= 1 + 1e-12).all()
    latent = Latent(torch.zeros(3, 3).double(), torch.zeros(3).double())
    assert model.log_likelihood(latent, batch, batch.earlier, leave_out=True).isfinite().all()


def test_first_topics_come_from_some_of_many_documents(monkeypatch):
    documents = Documents.from_lists([[[word % 5] * 3] for word in range(50)])
    assert first_topics.some_of(documents, seed=0) is documents
    monkeypatch.setattr(first_topics, "LDA_WORDS", 30)
    some = first_topics.some_of(documents, seed=0)
    assert 27 <= some.n_words <= 30
    again = first_topics.some_of(documents, seed=0)
    assert (some.words == again.words).all()
    assert sample_topics(some, 5, 2, 0.1, iterations=2).topics.shape == (2, 5)
