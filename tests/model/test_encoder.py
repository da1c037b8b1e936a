"""What the encoder makes of bags of words where topics are given."""

import numpy as np
import pytest
import torch

from segtopic.corpus import Documents
from segtopic.model import encoder as module
from segtopic.model.encoder import Encoder, GivenTopics
from segtopic.model.packing import pack


def given(words: list[list[float]], shares: list[float], scale: float = 2.5) -> GivenTopics:
    return GivenTopics(
        torch.tensor(words, dtype=torch.float64),
        torch.tensor(shares, dtype=torch.float64).log(),
        torch.tensor(scale, dtype=torch.float64),
    )


def guess(topics: GivenTopics, documents: list[list[int]]) -> torch.Tensor:
    batch = pack(Documents.from_lists([[each] for each in documents]), 2)
    bag = batch.levels[0]
    return topics.guess(bag, bag.count.double(), len(documents))


def test_the_guess_is_the_most_probable_share(monkeypatch):
    monkeypatch.setattr(module, "GUESS_STEPS", 2000)
    topics = given([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]], [0.6, 0.4])
    documents = [[0, 0, 1, 2, 0], [2, 2, 1], [1]]
    zeta = guess(topics, documents)
    shares = (topics.share_bias + topics.share_scale * zeta).softmax(1)
    first = np.linspace(1e-4, 1 - 1e-4, 20_001)
    for document, found in zip(documents, shares.numpy(), strict=True):
        mixed = np.outer(first, [0.7, 0.2, 0.1]) + np.outer(1 - first, [0.1, 0.3, 0.6])
        goal = np.log(mixed[:, document]).sum(1)
        goal += module.GUESS_PRIOR * (0.6 * np.log(first) + 0.4 * np.log(1 - first))
        assert found[0] == pytest.approx(first[goal.argmax()], abs=1e-3)


def test_an_empty_document_is_guessed_to_be_like_all_others():
    topics = given([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]], [0.6, 0.4])
    assert guess(topics, [[0, 0], []])[1].tolist() == pytest.approx([0.0, 0.0], abs=1e-12)


def test_hidden_words_are_hidden_from_the_guess():
    """All words are hidden: documents of different words are alike."""
    torch.manual_seed(0)
    topics = given([[0.9, 0.1], [0.1, 0.9]], [0.5, 0.5])
    encoder = Encoder(2, 4, 2, hidden_words=1 - 1e-12, guesses=True).double().train()
    batch = pack(Documents.from_lists([[[0, 0, 0]], [[1, 1, 1]]]), 2)
    first, second = encoder(batch, topics).mean
    torch.testing.assert_close(first, second)
    first, second = encoder.eval()(batch, topics).mean
    assert (first - second)[0] > 0.1


def test_documents_are_guessed_one_by_one():
    topics = given([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]], [0.6, 0.4])
    together = guess(topics, [[0, 1, 1], [2, 2], [1, 0]])
    alone = torch.cat([guess(topics, [each]) for each in ([0, 1, 1], [2, 2], [1, 0])])
    torch.testing.assert_close(together, alone)
