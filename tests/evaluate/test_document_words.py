"""A model without its segments, against the model whose segments are single words."""

import numpy as np
import pytest
import torch

from segtopic.config import ModelConfig
from segtopic.corpus import Documents
from segtopic.evaluate.baselines.counts import observed_counts
from segtopic.evaluate.baselines.document_words import DocumentWords
from segtopic.evaluate.baselines.pitman_yor import Trust, interpolated
from segtopic.evaluate.heldout import HeldOut
from segtopic.evaluate.predictive import predictive_log_likelihood
from segtopic.model.build import build_model, start_from
from tests.evaluate.corpora import VOCABULARY_SIZE, two_topics

TRAIN, TEST = two_topics(30, seed=0), two_topics(80, seed=1)


def model_of(max_segment_length):
    config = ModelConfig(
        max_segment_length=max_segment_length,
        topics="network",
        own_phrases=False,  # and so no discount on the urn of words
        n_topics=3,
        hidden_size=5,
        encoder_size=6,
    )
    torch.manual_seed(0)
    model = build_model(config, VOCABULARY_SIZE).double().eval()
    start_from(model, config, TRAIN, seed=0)
    return model


def test_with_the_models_own_urn_it_is_the_model_of_single_words():
    model, held_out = model_of(max_segment_length=1), HeldOut.of(TEST)
    words = DocumentWords(model, refine_steps=5).word_log_probabilities(held_out)
    (seen,) = observed_counts(held_out, VOCABULARY_SIZE, longest=1)
    drawn = held_out.scores(interpolated(words, seen, Trust(model.log_urn.exp().item())))
    expected = predictive_log_likelihood(model, TEST, refine_steps=5)
    assert drawn.words.tolist() == expected.words.tolist()
    assert drawn.log_likelihood == pytest.approx(expected.log_likelihood, abs=1e-9)


def test_all_words_of_a_document_sum_to_one():
    observed = two_topics(5, seed=2)
    everything = [[[word] for word in range(VOCABULARY_SIZE)]] * observed.n_documents
    held_out = HeldOut(observed, Documents.from_lists(everything))
    words = DocumentWords(model_of(max_segment_length=3), 5).word_log_probabilities(held_out)
    sums = np.exp(words).reshape(observed.n_documents, VOCABULARY_SIZE).sum(1)
    assert sums == pytest.approx(np.ones(observed.n_documents))


def test_documents_without_scored_words():
    nothing = HeldOut.of(Documents.from_lists([[], []]))
    assert DocumentWords(model_of(2), 5).word_log_probabilities(nothing).shape == (0,)
