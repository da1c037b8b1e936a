"""Words that all documents share: found apart from the topics, inferred, saved and normalised."""

import math

import numpy as np
import pytest
import torch

from segtopic.config import ModelConfig
from segtopic.corpus import Documents
from segtopic.model import pack
from segtopic.model.build import build_model, start_from
from segtopic.model.encoder import GivenTopics
from segtopic.model.inference import encoder_mean, refine
from segtopic.model.lda import sample_topics
from segtopic.model.seeds import Seeds, seeded_topics
from segtopic.runs.folder import load_config
from segtopic.runs.weights import load_weights, save_weights

N_TOPICS, OF_TOPIC, SHARED = 4, 20, 15
SIZE = N_TOPICS * OF_TOPIC + SHARED
SETTINGS = ModelConfig(
    n_topics=N_TOPICS, common=True, hidden_size=6, encoder_size=6, corrected="no"
)
FAST = {"iterations": 200, "states": 2, "iterations_between": 5}


def planted(shares, n_documents=300, n_words=60):
    """Documents with ``(D,)`` shares of the last words, and their topic shares."""
    generator = np.random.default_rng(5)
    topics = generator.dirichlet([0.1] * N_TOPICS, size=n_documents)
    texts = []
    for theta, share in zip(topics, np.broadcast_to(shares, n_documents), strict=True):
        topic = generator.choice(N_TOPICS, size=n_words, p=theta)
        own = topic * OF_TOPIC + generator.integers(OF_TOPIC, size=n_words)
        common = SIZE - 1 - generator.integers(SHARED, size=n_words)
        texts.append([np.where(generator.random(n_words) < share, common, own).tolist()])
    return Documents.from_lists(texts), topics


def words_of(topic):
    return slice(topic * OF_TOPIC, (topic + 1) * OF_TOPIC)


@pytest.fixture(scope="module")
def shared():
    """Documents with their topics and shares, and a model that starts from them."""
    shares = np.random.default_rng(3).uniform(0.1, 0.7, size=300)
    documents, topics = planted(shares)
    torch.manual_seed(0)
    model = build_model(SETTINGS, SIZE).double().eval()
    start_from(model, SETTINGS, documents, seed=0)
    return model, documents, topics, shares


def batch_of(documents):
    return pack(documents, SETTINGS.max_segment_length)


def test_common_words_are_in_the_common_part_and_in_no_topic(shared):
    model, documents, *_ = shared
    assert model.common.words[-SHARED:].sum() > 0.95
    # Two words of five are shared; where all topics must have them, they have them.
    assert (model.topic_words[:, -SHARED:].sum(1) < 0.1).all()
    plain = sample_topics(documents, SIZE, N_TOPICS, eta=0.1, **FAST).topics
    assert plain[:, -SHARED:].sum(1).mean() > 0.3
    found = [int(model.topic_words[:, words_of(k)].sum(1).argmax()) for k in range(N_TOPICS)]
    assert sorted(found) == list(range(N_TOPICS))


def test_shares_of_common_words_and_of_topics_are_inferred_apart(shared):
    model, documents, topics, shares = shared
    batch = batch_of(documents)
    latent = refine(model, encoder_mean(model, batch), batch, steps=30)
    with torch.no_grad():
        common, theta = model.common_share(latent.zeta).numpy(), model.theta(latent.zeta)
    assert np.corrcoef(common, shares)[0, 1] > 0.85
    torch.testing.assert_close(theta.sum(1), torch.ones(len(theta)).double())
    place = [int(model.topic_words[:, words_of(k)].sum(1).argmax()) for k in range(N_TOPICS)]
    assert np.corrcoef(theta[:, place].ravel(), topics.ravel())[0, 1] > 0.95


def test_without_common_words_the_topics_are_found_all_the_same():
    documents, _ = planted(0.0)
    found = sample_topics(documents, SIZE, N_TOPICS, eta=0.1, common=True, **FAST)
    plain = sample_topics(documents, SIZE, N_TOPICS, eta=0.1, **FAST)
    assert found.common is None
    np.testing.assert_array_equal(found.topics, plain.topics)
    model = build_model(SETTINGS, SIZE)
    start_from(model, SETTINGS, documents, seed=0)
    assert not model.keeps_common
    assert model.common_share(torch.zeros(1, model.n_hidden)).item() < 0.001
    counts = torch.from_numpy(np.bincount(documents.words, minlength=SIZE) / documents.n_words)
    torch.testing.assert_close(model.common.words.double(), counts, atol=1e-3, rtol=0)


def test_the_first_words_are_a_mixture_of_topics_and_common_words(shared):
    model, *_ = shared
    theta, share = torch.rand(3, N_TOPICS).double().softmax(1), torch.tensor([0.0, 0.3, 1.0])
    with torch.no_grad():
        mixed = model.first_word_distribution(theta, share.double())
        alone = model.first_word_distribution(theta)
    by_hand = (1 - share[:, None]) * (theta @ model.topic_words)
    by_hand = by_hand + share[:, None] * model.common.words
    torch.testing.assert_close(mixed, by_hand)
    torch.testing.assert_close(alone, theta @ model.topic_words)


def test_the_guess_is_the_hidden_value_of_the_most_probable_shares(shared):
    """The objective that it raises: words, and so many pseudo-words of the prior."""
    model, documents, *_ = shared
    given = GivenTopics(
        torch.cat([model.topic_words, model.common.words[None]]),
        torch.cat([model.share_bias, model.common.share_bias]),
        model.log_share_scale.exp(),
    )
    batch = batch_of(documents.select(np.arange(5)))
    bag = batch.levels[0]
    with torch.no_grad():
        zeta = given.guess(bag, bag.count.double(), 5)
        words = model.first_word_distribution(model.theta(zeta), model.common_share(zeta))
        usual = torch.zeros_like(zeta)
        before = model.first_word_distribution(model.theta(usual), model.common_share(usual))
    for document in range(5):
        own = bag.word[bag.parent == document]
        assert words[document, own].log().sum() > before[document, own].log().sum() + 5
    empty = given.guess(bag, torch.zeros(len(bag.word)).double(), 5)
    torch.testing.assert_close(empty, torch.zeros_like(empty), atol=1e-6, rtol=0)


def test_a_document_of_which_nothing_is_known_has_the_shares_of_the_prior(shared):
    _, documents, *_ = shared
    found = sample_topics(documents, SIZE, N_TOPICS, eta=0.1, common=True)
    model = build_model(SETTINGS, SIZE).double().eval()
    start_from(model, SETTINGS, documents, seed=0, found=found)
    usual = torch.zeros(1, model.n_hidden).double()
    with torch.no_grad():
        common, theta = model.common_share(usual), model.theta(usual)
    alpha = found.alpha.sum() + found.common.alpha
    assert common.item() == pytest.approx(found.common.alpha / alpha)
    np.testing.assert_allclose(theta[0], found.alpha / found.alpha.sum(), rtol=1e-6)


def test_common_words_are_one_more_component_of_the_softmax(shared):
    model, *_ = shared
    zeta = torch.randn(5, N_TOPICS + 1).double()
    with torch.no_grad():
        biases = torch.cat([model.share_bias, model.common.share_bias])
        shares = (biases + model.log_share_scale.exp() * zeta).softmax(1)
        common, theta = model.common_share(zeta), model.theta(zeta)
    torch.testing.assert_close(
        torch.cat([(1 - common)[:, None] * theta, common[:, None]], 1), shares
    )


def test_seeds_leave_the_common_words_where_they_are(shared):
    _, documents, *_ = shared
    found = sample_topics(documents, SIZE, N_TOPICS, eta=0.1, common=True, **FAST)
    words = [np.arange(OF_TOPIC * k, OF_TOPIC * k + 3) for k in (3, 1)]
    seeded = seeded_topics(found, documents, Seeds(tuple(words), 1.0), eta=0.1)
    assert seeded.topics[0, words_of(3)].sum() > 0.9
    assert seeded.topics[1, words_of(1)].sum() > 0.9
    assert seeded.common.words[-SHARED:].sum() > 0.95
    assert seeded.common.words.sum() == pytest.approx(1)
    assert seeded.common.alpha == found.common.alpha


def test_a_saved_model_has_the_same_common_words(shared, tmp_path):
    model, documents, *_ = shared
    with torch.no_grad():
        model.common.share_bias.fill_(0.25)
    save_weights(tmp_path / "weights", model)
    loaded = load_weights(tmp_path / "weights", SETTINGS)
    batch = batch_of(documents.select(np.arange(20)))
    for name in ("words", "found", "vector", "share_bias"):
        torch.testing.assert_close(getattr(loaded.common, name), getattr(model.common, name))
    with torch.no_grad():
        one, other = (each.infer(batch).mean for each in (model, loaded))
    torch.testing.assert_close(one, other)
    assert math.isfinite(float(one.sum()))


def test_a_network_without_given_topics_has_no_common_words():
    model = build_model(ModelConfig(n_topics=2, topics="network", common=True), 5)
    assert model.common is None
    assert model.n_hidden == model.n_topics
    assert model.common_share(torch.zeros(3, 2)).tolist() == [0, 0, 0]


def test_a_run_of_before_has_no_common_words(tmp_path):
    (tmp_path / "config.yaml").write_text("data: ap\nn_topics: 3\n")
    assert load_config(tmp_path).common is False
