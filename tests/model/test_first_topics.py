"""Topics before the training: LDA finds what was planted, and they read as phrases."""

import numpy as np
import pytest

from segtopic.corpus import corpus_from_texts
from segtopic.model.first_topics import find_first_topics, read_first_topics
from segtopic.model.seeds import Seeds
from tests.training.planted import N_TOPICS, PHRASES, WORDS, planted_texts


@pytest.fixture(scope="module")
def corpus():
    return corpus_from_texts(planted_texts()[0])


@pytest.fixture(scope="module")
def seen():
    return []


@pytest.fixture(scope="module")
def found(corpus, seen):
    size = len(corpus.vocabulary)
    return find_first_topics(corpus.documents, size, N_TOPICS, seed=0, seen=seen.append)


def test_a_first_state_is_shown_and_a_mean_is_returned(found, seen):
    (early,) = seen
    np.testing.assert_allclose(early.topics.sum(1), 1)
    np.testing.assert_allclose(found.topics.sum(1), 1)
    assert np.abs(early.topics - found.topics).max() > 0
    assert np.abs(early.topics - found.topics).sum(1).max() < 0.1


def test_planted_phrases_describe_their_topics(found, corpus):
    topics = read_first_topics(found, corpus.documents, corpus.vocabulary, n_phrases=5)
    assert sum(topic.share for topic in topics) == pytest.approx(1)
    assert [topic.share for topic in topics] == sorted((t.share for t in topics), reverse=True)
    planted = [{" ".join(phrase) for phrase in of_topic} for of_topic in PHRASES]
    told = [set(topic.phrases) for topic in topics]
    assert sorted(own <= listed for own in planted for listed in told) == [False] * 6 + [True] * 3


def test_no_phrase_is_a_piece_of_another(found, corpus):
    for topic in read_first_topics(found, corpus.documents, corpus.vocabulary, n_phrases=30):
        framed = [f" {phrase} " for phrase in topic.phrases]
        assert not any(a in b for a in framed for b in framed if a is not b)


def test_seeded_topics_are_shown_as_they_start(corpus):
    shown = []
    rows = [("third", *WORDS[2][:5])]
    seeds = Seeds.of(rows, corpus.encoder(), strength=1.0)
    size = len(corpus.vocabulary)
    found = find_first_topics(corpus.documents, size, N_TOPICS, 0, seeds, seen=shown.append)
    assert shown == [found]
    first = corpus.vocabulary.words[int(found.topics[0].argmax())]
    assert first in {*WORDS[2], *(word for phrase in PHRASES[2] for word in phrase)}
