"""What follows: shares are those of the phrases' own probabilities, by every continuation."""

import itertools

import numpy as np
import pytest
import torch

from segtopic.topics.followers import followers
from segtopic.topics.phrases import padded, phrase_scores
from tests.topics.models import SWITCHES, K, V, small_model

THETAS = torch.eye(K, dtype=torch.float64) * 0.7 + 0.1


@pytest.mark.parametrize(("continuation", "last_step"), SWITCHES)
def test_shares_are_those_of_longer_beginnings(continuation, last_step):
    model = small_model(continuation, last_step, 3)
    for theta, length in itertools.product(THETAS, (1, 2)):
        for words in itertools.product(range(V), repeat=length):
            beginning = np.array(words)
            found = followers(model, theta, beginning, n_words=V)
            longer = np.array([[*words, word] for word in range(V)])
            with torch.no_grad():
                own = phrase_scores(model, theta, padded(beginning[None], 3))
                begun = phrase_scores(model, theta, padded(longer, 3)).begun.exp()
            begins, goes_on = own.begun.exp(), begun.sum()
            if begins == 0:  # never counted, by a continuation that only counts
                assert (found.begins, found.goes_on, found.words) == (0, 0, ())
                continue
            assert found.begins == pytest.approx(float(begins))
            assert found.goes_on == pytest.approx(float(goes_on / begins), abs=1e-9)
            assert list(found.shares) == sorted(found.shares, reverse=True)
            shares = {word: float(share) for word, share in enumerate(begun / goes_on)}
            for word, share in zip(found.words, found.shares, strict=True):
                assert share == pytest.approx(shares[word])
            left_out = set(range(V)) - set(found.words)
            assert all(not shares[word] > 0.0101 for word in left_out)


def test_topics_differ():
    model = small_model("three-ways", "certain", 3, topic_words=True)
    first, second = (followers(model, theta, np.array([0]), V) for theta in THETAS[:2])
    assert first.shares != second.shares
