import numpy as np
import pytest

from segtopic.corpus import Documents
from segtopic.evaluate.coherence import topic_diversity, topic_qualities, topic_quality
from tests.evaluate.corpora import UNSEEN, two_topics


def test_words_of_one_topic_cohere_more_than_mixed_ones():
    quality = topic_quality([[0, 1, 2], [0, 5, 2]], two_topics(60, seed=0))
    assert quality.npmi[0] > 0 > quality.npmi[1]
    assert quality.c_v[0] > quality.c_v[1]
    assert quality.diversity == pytest.approx(4 / 6)
    assert quality.mean_npmi == pytest.approx(np.mean(quality.npmi))


def test_npmi_by_hand():
    """Two words in the same two of four short documents: NPMI is log(2) / log(2) = 1."""
    train = Documents.from_lists([[[0, 1]], [[1, 0]], [[2, 3]], [[3]], []])
    assert topic_quality([[0, 1]], train).npmi == pytest.approx([1.0], abs=1e-6)


def test_unseen_words_are_left_out():
    train = two_topics(60, seed=0)
    quality = topic_quality([[0, 1, UNSEEN], [UNSEEN, 3], [0, 1]], train)
    assert quality.npmi[0] == pytest.approx(quality.npmi[2])
    assert quality.npmi[1] == quality.c_v[1] == 0


def test_diversity_counts_distinct_words():
    assert topic_diversity([[0, 1, 9], [1, 2, 9]], n_words=2) == 0.75
    assert topic_diversity(np.array([[0, 1], [2, 3]])) == 1


def test_a_topic_without_words_is_refused():
    with pytest.raises(ValueError, match="at least one word"):
        topic_quality([[0], []], two_topics(5, seed=0))


def test_several_sets_at_once_are_judged_as_alone():
    train = two_topics(60, seed=0)
    sets = {"good": [[0, 1, 2], [5, 6, 7]], "mixed": np.array([[0, 5, 2]])}
    together = topic_qualities(sets, train)
    for name, topics in sets.items():
        alone = topic_quality(topics, train)
        np.testing.assert_allclose(together[name].npmi, alone.npmi)
        np.testing.assert_allclose(together[name].c_v, alone.c_v)
        assert together[name].diversity == alone.diversity
