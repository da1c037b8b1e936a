"""Documents that mention phrases: counted by looking at every one of them."""

import numpy as np
import pytest

from segtopic.corpus import Documents
from segtopic.topics.mentions import phrase_mentions, topic_weights, word_mentions
from segtopic.topics.phrases import NO_WORD

WORDS = 5


@pytest.fixture
def texts():
    random = np.random.default_rng(0)
    return [
        [random.integers(WORDS, size=random.integers(1, 5)).tolist() for _ in range(2)]
        for _ in range(20)
    ] + [[]]


@pytest.fixture
def weights(texts):
    return np.random.default_rng(1).dirichlet([0.5, 0.5, 0.5], size=len(texts))


def holds(text, phrase):
    return any(
        span[start : start + len(phrase)] == phrase for span in text for start in range(len(span))
    )


def test_documents_are_counted_once_each(texts, weights):
    documents = Documents.from_lists(texts)
    phrases = [[0], [1, 2], [3, 3], [4, 0, 1], [2]]
    padded = np.array([phrase + [NO_WORD] * (3 - len(phrase)) for phrase in phrases])
    held = [[holds(text, phrase) for text in texts] for phrase in phrases]
    for topic in range(3):
        found = phrase_mentions(documents, padded, weights).of_topic(topic)
        assert found.in_topic == pytest.approx(np.array(held) @ weights[:, topic])
        assert found.anywhere.tolist() == np.sum(held, axis=1).tolist()
        assert found.size == pytest.approx(weights[:, topic].mean())


def test_words_are_phrases_of_one_word(texts, weights):
    documents = Documents.from_lists(texts)
    words = word_mentions(documents, WORDS, weights)
    phrases = phrase_mentions(documents, np.arange(WORDS)[:, None], weights)
    assert words.in_topic == pytest.approx(phrases.in_topic)
    assert words.relevance() == pytest.approx(phrases.relevance())
    for topic in range(3):
        of_topic = words.of_topic(topic)
        assert of_topic.in_topic == pytest.approx(phrases.in_topic[topic])
        assert of_topic.relevance() == pytest.approx(phrases.relevance()[topic])


def test_to_say_it_again_changes_nothing(texts, weights):
    again = Documents.from_lists([[*text, *text, *text] for text in texts])
    once = word_mentions(Documents.from_lists(texts), WORDS, weights)
    assert word_mentions(again, WORDS, weights).relevance() == pytest.approx(once.relevance())


def test_a_topic_has_no_phrases_of_other_topics_documents():
    """'b' belongs to documents of the first topic; 'b c' stands in those of the second alone."""
    documents = Documents.from_lists([[[0, 1]]] * 6 + [[[1, 2], [3]]] * 4)
    weights = np.array([[0.9, 0.1]] * 6 + [[0.1, 0.9]] * 4)
    phrases = np.array([[0, 1], [1, 2], [1, NO_WORD], [3, NO_WORD]])
    first, second = phrase_mentions(documents, phrases, weights).relevance() > 0
    assert first.tolist() == [True, False, False, False]  # all documents mention 'b'
    assert second.tolist() == [False, True, False, True]


def test_what_nobody_mentions_is_not_relevant():
    documents = Documents.from_lists([[[0, 1]], [[1]]])
    found = phrase_mentions(documents, np.array([[2]]), np.array([[1.0], [0.0]]))
    assert found.relevance().tolist() == [[0]]
    assert found.log_lift.tolist() == [[-np.inf]]


def test_weights_are_roots_of_shares():
    assert topic_weights(np.array([[0.64, 0.36], [1, 0]])).tolist() == [
        pytest.approx([8 / 14, 6 / 14]),
        [1, 0],
    ]
