"""The topic model against hand computation and brute force on a tiny corpus."""

import itertools
import math

import pytest
import torch

from segtopic.config import ModelConfig
from segtopic.corpus import Documents
from segtopic.model import inference, pack
from segtopic.model.build import build_model, start_from
from segtopic.model.encoder import Posterior
from segtopic.model.inference import encoder_mean, predictive_scores, refine
from segtopic.model.topic_model import Latent
from segtopic.model.urn import observed_urn
from tests import oracle

NESTED = [[[0, 1], [2], [0, 1, 2]], [[2, 2], [1]], [[0, 1], [1, 1, 0]]]
SMALL = {"topics": "network", "n_topics": 3, "hidden_size": 5, "encoder_size": 6, "dropout": 0.0}
WHOLE = {"continuation": "three-ways", "own_phrases": True}


def model_of(max_segment_length=2, seed=0, **settings):
    config = ModelConfig(max_segment_length=max_segment_length, **{**SMALL, **settings})
    torch.manual_seed(seed)
    model = build_model(config, 3).double().eval()
    start_from(model, config, Documents.from_lists(NESTED), seed=0)
    with torch.no_grad():
        for parameter in model.scorer.continuation.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def with_common_words(model):
    words = torch.tensor([0.7, 0.2, 0.1])
    model.common.start(words, model.share_bias.detach().logsumexp(0))  # as large as all topics
    assert model.common_share(torch.zeros(1, model.n_hidden).double()).item() > 0.3


def batch_of(nested, max_length=2):
    documents = Documents.from_lists(nested)
    return pack(documents, max_length)


def urn_by_hand(model, drawn, word, held):
    """The probability of a word that has one without the urn, which holds some words."""
    strength, discount = model.log_urn.exp().item(), 0.0
    if model.urn_discount is not None:
        discount = model.urn_discount.sigmoid().item()
    rest = strength + discount * len(set(held))
    return (max(held.count(word) - discount, 0) + rest * drawn) / (strength + len(held))


def test_divergence_of_a_gaussian_by_hand():
    posterior = Posterior(torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, math.log(4)]]), None)
    # 1/2 (m^2 + s^2 - 1 - ln s^2): 1/2 for (1, 1), and 1/2 (3 - ln 4) for (0, 2).
    assert posterior.kl()[0].tolist() == pytest.approx([0.5, 0.5 * (3 - math.log(4))])


def test_elbo_of_a_tiny_case_by_hand():
    """Two words, one topic, segments of one word, no extras: everything is a softmax."""
    model = model_of(1, n_topics=1, background=False, burstiness=False, continuation="gated")
    batch = batch_of([[[0, 1]]], 1)
    terms, posterior = model.elbo(batch, leave_out=False)
    x = model.topics.weight[:, 0]  # theta of one topic is 1
    state = x
    states = []
    inputs = model.scorer.begin
    for layer in model.scorer.layers:
        state = torch.nn.GRUCell.forward(layer, inputs[None], x[None])[0]
        states.append(state)
        inputs = state
    logits = model.scorer.continuation.output(state).log_softmax(0)
    assert terms.log_likelihood.item() == pytest.approx((logits[0] + logits[1]).item())
    mean, variance = posterior.mean[0, 0].item(), posterior.log_variance[0, 0].exp().item()
    by_hand = 0.5 * (mean**2 + variance - 1 - math.log(variance))
    assert terms.kl.item() == pytest.approx(by_hand)


@pytest.mark.parametrize("continuation", ["three-ways", "phrases", "gated", "joint"])
def test_likelihood_against_brute_force(continuation):
    """Enumerated segmentations, urn and background written out for every word."""
    model = model_of(2, continuation=continuation, own_phrases=True)
    batch = batch_of(NESTED)
    latent = Latent(torch.randn(3, 3).double(), torch.randn(3).double())
    urn = batch.earlier
    found = model.log_likelihood(latent, batch, urn)
    parts = model.parts(latent.zeta, batch, leave_out=False)
    rest = parts.rest(batch, urn, model.own_phrases)
    first_words = model.score_bags(latent.zeta, batch).exp()
    index = 0
    for d, document in enumerate(NESTED):
        share = torch.sigmoid(model.background + latent.background[d]).item()
        before, total = [], 0.0
        for span in document:
            rows = []
            for word in span:
                softmax = first_words[batch.node[index, 0]].item()
                drawn = (1 - share) * softmax + share / 3
                urned = urn_by_hand(model, drawn, word, before)
                rows.append(rest[index] + math.log(urned))
                before.append(word)
                index += 1
            total += oracle.log_partition(torch.stack(rows)).item()
        assert found[d].item() == pytest.approx(total, abs=1e-10)


@pytest.mark.parametrize("topics", ["network", "lda"])
@pytest.mark.parametrize(("max_length", "first_span"), [(2, 2), (2, 3), (3, 3)])
def test_all_documents_of_a_length_sum_to_one(max_length, first_span, topics):
    """Background, urns, memory, network and lattice together are one normalised distribution.

    With topics of LDA there are common words, too.
    """
    model = model_of(max_length, **WHOLE, topics=topics, common=True)
    if topics == "lda":
        with_common_words(model)
    texts = [
        [list(words[:first_span]), list(words[first_span:])]
        for words in itertools.product(range(3), repeat=2 * first_span - 1)
    ]
    batch = batch_of(texts, max_length)
    zeta = torch.randn(1, model.n_hidden).double().expand(len(texts), -1)
    latent = Latent(zeta, torch.full((len(texts),), 0.4).double())
    likelihood = model.log_likelihood(latent, batch, batch.earlier)
    assert likelihood.exp().sum().item() == pytest.approx(1.0, abs=1e-12)


def test_predictive_likelihood_against_brute_force():
    """Scored words given observed ones: the urn holds the observed words only."""
    model = model_of(2, **WHOLE)
    observed, scored = Documents.from_lists(NESTED).observed_and_scored(0.5)
    observed_batch, scored_batch = (pack(part, 2) for part in (observed, scored))
    latent = encoder_mean(model, observed_batch)
    scores = predictive_scores(model, latent, observed_batch, scored_batch)
    held = observed_urn(observed_batch, scored_batch, 3)
    parts = model.parts(latent.zeta, scored_batch, leave_out=False)
    rest = parts.rest(scored_batch, held, model.own_phrases)
    softmax = model.score_bags(latent.zeta, scored_batch).exp()
    totals, firsts, index = [], [], 0
    pairs = zip(observed.to_lists(), scored.to_lists(), strict=True)
    for d, (seen, document) in enumerate(pairs):
        urn = [word for span in seen for word in span]
        share = torch.sigmoid(model.background + latent.background[d]).item()
        for span in document:
            rows = []
            for word in span:
                drawn = (1 - share) * softmax[scored_batch.node[index, 0]].item() + share / 3
                urned = urn_by_hand(model, drawn, word, urn)
                rows.append(rest[index] + math.log(urned))
                if len(rows) == 1:
                    firsts.append(math.log(urned))
                index += 1
            totals.append(oracle.log_partition(torch.stack(rows)).item())
    assert scores.total.tolist() == pytest.approx(totals, abs=1e-10)
    assert scores.first.tolist() == pytest.approx(firsts, abs=1e-10)


@pytest.mark.parametrize("topics", ["network", "lda"])
def test_refinement_raises_the_posterior_of_the_observed_words(topics):
    model = model_of(2, seed=3, topics=topics, common=True)
    if topics == "lda":
        with_common_words(model)
    torch.nn.init.normal_(model.topics.weight, std=3.0)
    batch = batch_of([[[0, 1], [0, 1]], [[2], [2, 2]], []])
    start = encoder_mean(model, batch)
    urn = batch.earlier

    def objective(latent):
        prior = 0.5 * latent.zeta.square().sum(1) + model.background_penalty(latent.background)
        return model.log_likelihood(latent, batch, urn) - prior

    refined = refine(model, start, batch, steps=60)
    gain = objective(refined) - objective(start)
    assert gain[:2].gt(0.01).all()
    assert gain[2] >= 0  # an empty document moves to the prior's mode
    assert all(parameter.grad is None for parameter in model.parameters())


def test_an_empty_document_is_possible_everywhere():
    model = model_of(2)
    batch = batch_of([[], []])
    latent = refine(model, encoder_mean(model, batch), batch, 5)
    assert predictive_scores(model, latent, batch, batch).total.tolist() == []
    terms, _ = model.elbo(batch, leave_out=True)
    assert terms.log_likelihood.shape == (2,)
    assert terms.kl.isfinite().all()


def test_refinement_steps_are_those_of_adam():
    generator = torch.Generator().manual_seed(0)
    ours = torch.randn(4, 3, generator=generator)
    theirs = ours.clone().requires_grad_()
    optimiser = torch.optim.Adam([theirs], lr=inference.REFINE_RATE)
    stepper = inference._Adam(ours)
    for _ in range(7):
        theirs.grad = torch.randn(4, 3, generator=generator)
        optimiser.step()
        stepper.step(theirs.grad)
        assert torch.equal(ours, theirs.detach())
    stepper.step(None)
    assert torch.equal(ours, theirs.detach())
