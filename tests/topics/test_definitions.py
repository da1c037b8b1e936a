import math

import numpy as np
import pytest
import torch

from segtopic.topics.definitions import DEFINITIONS, corner, direction, documents, peak
from segtopic.topics.mentions import Mentions
from segtopic.topics.ranking import ranking_scores, top_words


@pytest.fixture
def shares():
    torch.manual_seed(0)
    return torch.randn(200, 4, dtype=torch.float64).mul(2).softmax(1)


@pytest.mark.parametrize("name", list(DEFINITIONS))
def test_a_topic_is_a_document_with_more_of_it(name, shares):
    vectors = DEFINITIONS[name](shares)
    assert vectors.shape == (4, 4)
    assert vectors.min() >= 0
    torch.testing.assert_close(vectors.sum(1), torch.ones(4, dtype=torch.float64))
    assert (vectors.diagonal() > shares.mean(0)).all()
    assert (vectors.argmax(0) == torch.arange(4)).all()


def test_definitions_by_hand(shares):
    mean = shares.mean(0)
    assert torch.equal(corner(shares), torch.eye(4, dtype=torch.float64))
    torch.testing.assert_close(peak(shares).diagonal(), shares.quantile(0.99, dim=0))
    # The others keep their proportions.
    others = peak(shares)[0, 1:]
    torch.testing.assert_close(others / others.sum(), mean[1:] / mean[1:].sum())
    step = direction(shares) - mean
    towards = corner(shares) - mean
    torch.testing.assert_close(step / step.norm(dim=1, keepdim=True),
                               towards / towards.norm(dim=1, keepdim=True))  # fmt: skip
    by_hand = sum(row[2] * row for row in shares) / shares[:, 2].sum()
    torch.testing.assert_close(documents(shares)[2], by_hand)


def test_rankings_by_hand():
    in_topic = torch.tensor([[0.5, 0.35, 0.15]]).log()
    on_average = torch.tensor([0.6, 0.3, 0.1]).log()
    # Of four documents the first two are of the topic; both, one and one of these mention a word.
    mentions = Mentions(np.array([[2.0, 1.0, 1.0]]), np.array([4, 1, 2]), np.array([[0.5]]))
    figures = (in_topic, on_average, mentions)
    assert top_words("probability", *figures).tolist() == [[0, 1, 2]]
    assert top_words("lift", *figures).tolist() == [[2, 1, 0]]
    assert top_words("divergence", *figures, n_words=1).tolist() == [[2]]
    assert top_words("relevance", *figures, n_words=1).tolist() == [[1]]
    scores = ranking_scores("divergence", *figures, np.array([1, 1, 3]))
    assert scores[0, 2].item() == pytest.approx(3 * 0.15 * math.log(1.5))
    scores = ranking_scores("relevance", *figures, np.array([1, 3, 1]))
    assert scores[0].tolist() == pytest.approx([0, 3 * math.log(2), 0])
