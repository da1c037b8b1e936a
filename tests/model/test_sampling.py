"""Sampled documents against the probabilities that the model itself gives them."""

import itertools

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from segtopic.lattice import log_partition, segmentation_score
from segtopic.model.continuations.draws import END, UNIFORMS, FromAllWords
from segtopic.model.sampling import UNIFORMS_OF_WORD, sample_words
from segtopic.model.topic_model import Latent
from tests.model.test_topic_model import WHOLE, batch_of, model_of

SPANS = np.array([3, 2])
KINDS = {
    "three ways": WHOLE,
    "three ways, bare": {"own_phrases": False, "burstiness": False, "background": False},
    "no network": {**WHOLE, "network_words": False},
    "counts": {"continuation": "phrases", "own_phrases": True},
    "gated": {"continuation": "gated", "own_phrases": False},
    "joint": {"continuation": "joint", "own_phrases": False},
}


def drawn(model, latent, span_lengths, seed=0):
    n_words = sum(map(sum, span_lengths))
    uniform = np.random.default_rng(seed).random((n_words, UNIFORMS_OF_WORD))
    return sample_words(model, latent, span_lengths, uniform)


def one_latent(n_documents, seed=1):
    generator = torch.Generator().manual_seed(seed)
    zeta = torch.randn(1, 3, generator=generator).double().expand(n_documents, -1)
    return Latent(zeta, torch.full((n_documents,), 0.4).double())


def all_texts(spans):
    cuts = np.cumsum(spans)[:-1]
    return [
        [part.tolist() for part in np.split(np.array(words), cuts)]
        for words in itertools.product(range(3), repeat=int(np.sum(spans)))
    ]


def as_expected(counts, probabilities):
    """No more surprising than one in a thousand; rare outcomes are taken together."""
    expected = np.asarray(probabilities) * np.sum(counts)
    rare = expected < 5
    observed = np.append(np.asarray(counts)[~rare], np.asarray(counts)[rare].sum())
    wanted = np.append(expected[~rare], expected[rare].sum())
    if wanted[-1] == 0:
        observed, wanted = observed[:-1], wanted[:-1]
    return chisquare(observed, wanted).pvalue > 1e-3


@pytest.mark.parametrize("max_length", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_texts_come_as_often_as_the_model_says(kind, max_length):
    """Every text of two spans, with urns, background, memory and network all at work."""
    model = model_of(max_length, **KINDS[kind])
    texts = all_texts(SPANS)
    batch = batch_of(texts, max_length)
    exact = model.log_likelihood(one_latent(len(texts)), batch, batch.earlier).exp()
    n_samples = 6_000
    sampled = drawn(model, one_latent(n_samples), [SPANS] * n_samples)
    digits = sampled.documents.words.reshape(n_samples, -1) @ 3 ** np.arange(5)[::-1]
    counts = np.bincount(digits, minlength=len(texts))
    assert as_expected(counts, exact.detach().numpy())


def test_segments_come_as_often_as_the_posterior_says():
    model = model_of(3, **WHOLE)
    n_samples = 40_000
    spans = np.array([3, 1])
    sampled = drawn(model, one_latent(n_samples), [spans] * n_samples)
    text = [[0, 1, 0], [2]]
    same = (sampled.documents.words.reshape(n_samples, -1) == np.concatenate(text)).all(1)
    ends = sampled.segment_ends.reshape(n_samples, -1)[same]
    assert len(ends) > 300
    batch = batch_of([text], 3)
    scores = model.scores(one_latent(1), batch, batch.earlier)
    total = log_partition(scores, batch.spans).sum()
    counts, exact = [], []
    for first, second in itertools.product([False, True], repeat=2):
        way = torch.tensor([first, second, True, True])
        exact.append((segmentation_score(scores, batch.spans, way).sum() - total).exp().item())
        counts.append(int((ends == way.numpy()).all(1).sum()))
    assert sum(exact) == pytest.approx(1)
    assert as_expected(counts, exact)


@pytest.mark.parametrize("history", [[0], [2], [0, 1], [1, 1], [2, 2]])
def test_fast_draws_have_the_probabilities_of_all_words(history):
    """Of every history, seen or not, in two documents that like different words."""
    model = model_of(3, **WHOLE)
    zeta = torch.tensor([[2.0, -1.0, 0.0], [-1.0, 2.0, 1.0]]).double()
    context = model.context(model.theta(zeta))
    continuation = model.scorer.continuation
    document = torch.tensor([0, 1]).repeat_interleave(3_000)
    histories = torch.tensor([history]).expand(len(document), -1)
    generator = torch.Generator().manual_seed(0)
    uniform = torch.rand(len(document), UNIFORMS, generator=generator).double()
    words = continuation.draws([context])(document, histories, uniform)
    every = FromAllWords(continuation, context)
    exact = every.probabilities(torch.tensor([0, 1]), histories[:2])
    assert exact.sum(1).tolist() == pytest.approx([1, 1])
    for number in (0, 1):
        counts = torch.bincount(words[document == number] - END, minlength=4)
        assert as_expected(counts.numpy(), exact[number].detach().numpy())


def test_documents_do_not_depend_on_their_neighbours():
    model = model_of(3, **WHOLE)
    shapes = [np.array([4, 3]), np.array([2, 3]), np.array([1])]
    latent = Latent(torch.randn(3, 3).double(), torch.randn(3).double())
    uniform = np.random.default_rng(0).random((13, UNIFORMS_OF_WORD))
    together = sample_words(model, latent, shapes, uniform).documents.to_lists()
    parts = np.split(uniform, [7, 12])
    for number, (shape, part) in enumerate(zip(shapes, parts, strict=True)):
        own = Latent(latent.zeta[[number]], latent.background[[number]])
        assert sample_words(model, own, [shape], part).documents.to_lists() == [together[number]]


def test_nothing_is_drawn_of_nothing():
    model = model_of(2, **WHOLE)
    empty = drawn(model, one_latent(2), [np.array([1]), np.array([], dtype=int)])
    assert empty.documents.spans_per_document.tolist() == [1, 0]
    with pytest.raises(ValueError, match="longest first"):
        drawn(model, one_latent(2), [np.array([1]), np.array([2])])
