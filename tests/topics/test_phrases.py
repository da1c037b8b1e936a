import numpy as np
import pytest
import torch

from segtopic.corpus import Documents
from segtopic.model import pack
from segtopic.model.topic_model import Latent
from segtopic.topics.beam import most_probable_phrases
from segtopic.topics.phrases import (
    NO_WORD,
    first_word_log_probabilities,
    log_odds_of_one_phrase,
    phrase_scores,
    phrase_words,
)
from tests.model import reference
from tests.topics.models import SWITCHES, K, V, all_phrases, small_model

THETA = torch.tensor([0.2, 0.5, 0.3], dtype=torch.float64)


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.no_grad():
        yield


@pytest.mark.parametrize("max_length", [1, 2, 3])
@pytest.mark.parametrize(("continuation", "last_step"), SWITCHES)
def test_all_phrases_sum_to_one_if_the_last_step_is_certain(continuation, last_step, max_length):
    model = small_model(continuation, last_step, max_length)
    total = phrase_scores(model, THETA, all_phrases(max_length)).whole.exp().sum().item()
    if last_step == "certain":
        assert total == pytest.approx(1, abs=1e-12)
    else:
        assert total < 0.999  # what leaks to phrases that are too long


@pytest.mark.parametrize(
    ("continuation", "last_step"), [s for s in SWITCHES if s[0] in ("gated", "joint")]
)
def test_probabilities_equal_the_equations(continuation, last_step):
    """The reference runs each phrase alone through torch's GRU; only the background is added."""
    model = small_model(continuation, last_step, 3)
    phrases = all_phrases(3)
    gru, x = reference.torch_gru(model.scorer), model.topics(THETA)
    e = model.background.sigmoid()
    softmax = model.first_word_distribution(THETA[None])[0]
    expected = []
    for phrase in phrases:
        words = list(phrase_words(phrase))
        alone = reference.segment_log_probability(model.scorer, gru, x, words, closes_span=False)
        first = softmax[words[0]]
        expected.append(alone + ((1 - e) * first + e / V).log() - first.log())
    found = phrase_scores(model, THETA, phrases).whole
    torch.testing.assert_close(found, torch.stack(expected), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("continuation", "last_step", "topic_words"),
    [*((*switches, False) for switches in SWITCHES), ("phrases", "certain", True)],
)
def test_probabilities_are_those_that_the_lattice_gets(continuation, last_step, topic_words):
    """A phrase at the beginning of a document whose span goes on for long."""
    model = small_model(continuation, last_step, 3, topic_words)
    phrases = all_phrases(3)
    spans = [[[*phrase_words(phrase), 0, 0, 0]] for phrase in phrases]
    batch = pack(Documents.from_lists(spans), 3)
    zeta = torch.randn(1, K, dtype=torch.float64)
    theta = model.theta(zeta)[0]
    latent = Latent(zeta.expand(len(spans), -1), torch.zeros(len(spans), dtype=torch.float64))
    scores = model.scores(latent, batch, urn=None)[batch.spans.first_word]
    lengths = torch.from_numpy((phrases != NO_WORD).sum(1))
    expected = scores[torch.arange(len(phrases)), lengths - 1]
    torch.testing.assert_close(phrase_scores(model, theta, phrases).whole, expected)


@pytest.mark.parametrize("max_length", [1, 2, 3])
@pytest.mark.parametrize(("continuation", "last_step"), SWITCHES)
def test_a_beam_of_everything_is_enumeration(continuation, last_step, max_length):
    for seed in range(3):
        model = small_model(continuation, last_step, max_length, seed=seed)
        phrases = all_phrases(max_length)
        whole = phrase_scores(model, THETA, phrases).whole
        possible = whole > -torch.inf
        found = most_probable_phrases(model, THETA, len(phrases))
        torch.testing.assert_close(
            found.log_probability, whole[possible].sort(descending=True).values
        )
        expected = {phrase_words(p): v for p, v in zip(phrases, whole.tolist(), strict=True)}
        for phrase, value in zip(found.words, found.log_probability.tolist(), strict=True):
            assert value == pytest.approx(expected[phrase_words(phrase)])


@pytest.mark.parametrize(("continuation", "last_step"), SWITCHES)
def test_what_is_cut_off_could_not_have_been_among_the_best(continuation, last_step):
    """With a beam as wide as the vocabulary's square, few phrases are still found exactly."""
    model = small_model(continuation, last_step, 3, seed=5)
    phrases = all_phrases(3)
    best = phrase_scores(model, THETA, phrases).whole.topk(7)
    found = most_probable_phrases(model, THETA, 7, width=V**2)
    torch.testing.assert_close(found.log_probability, best.values)
    assert found.words.tolist() == phrases[best.indices.numpy()].tolist()


@pytest.mark.parametrize(("continuation", "last_step"), SWITCHES)
def test_only_longer_phrases(continuation, last_step):
    model = small_model(continuation, last_step, 3, seed=1)
    phrases = all_phrases(3)
    whole = phrase_scores(model, THETA, phrases).whole
    whole = whole.masked_fill(torch.from_numpy(phrases[:, 1] == NO_WORD), -torch.inf)
    best = whole.topk(6)
    found = most_probable_phrases(model, THETA, 6, min_words=2, width=V**2)
    torch.testing.assert_close(found.log_probability, best.values)
    assert found.words.tolist() == phrases[best.indices.numpy()].tolist()


def test_a_narrow_beam_keeps_the_most_probable_beginnings():
    model = small_model("gated", "certain", 2)
    found = most_probable_phrases(model, THETA, 3, width=1)
    first = first_word_log_probabilities(model, THETA[None])[0].argmax().item()
    assert set(found.words[:, 0].tolist()) == {first}


def test_odds_of_one_phrase_compare_with_every_cut():
    model = small_model("joint", "charged", 3)
    phrases = np.array([[0, 1, 2], [3, 1, NO_WORD], [2, NO_WORD, NO_WORD]])
    odds = log_odds_of_one_phrase(model, THETA, phrases)
    pieces = np.array([[0, -1, -1], [1, 2, -1], [0, 1, -1], [2, -1, -1], [3, -1, -1], [1, -1, -1]])
    a, bc, ab, c, d, b = phrase_scores(model, THETA, pieces).whole.tolist()
    abc, db, _ = phrase_scores(model, THETA, phrases).whole.tolist()
    assert odds.tolist() == pytest.approx([abc - max(a + bc, ab + c), db - d - b, np.inf])
