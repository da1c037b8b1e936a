"""Unigram, bigram and urn, against numbers computed by hand."""

import numpy as np
import pytest

from segtopic.corpus import Documents, repeated
from segtopic.evaluate.baselines import baseline
from segtopic.evaluate.baselines.baseline import score
from segtopic.evaluate.baselines.bigram import BackoffBigram
from segtopic.evaluate.baselines.counts import SequenceCounts, observed_counts
from segtopic.evaluate.baselines.pitman_yor import Trust, interpolated
from segtopic.evaluate.baselines.unigram import Unigram
from segtopic.evaluate.heldout import HeldOut
from tests.evaluate.corpora import UNSEEN, VOCABULARY_SIZE, two_topics

TRAIN = Documents.from_lists([[[0, 1], [0, 1]], [[0, 2], [1]], []])
ALL_SCORED = 0.0


def test_unigram_by_hand():
    model = Unigram.fit(TRAIN, vocabulary_size=4, smoothing=0.5)
    assert model.probabilities == pytest.approx(np.array([3.5, 3.5, 1.5, 0.5]) / 9)
    held_out = HeldOut.of(Documents.from_lists([[[0, 3]], []]), ALL_SCORED)
    scores = score(model, held_out)
    assert scores.log_likelihood == pytest.approx([np.log(3.5 / 9) + np.log(0.5 / 9), 0])


def test_of_a_large_corpus_pairs_that_came_again_are_kept(monkeypatch):
    held_out = Documents.from_lists([[[0, 1, 2], [0, 2]], [[3]]])
    words, pairs = SequenceCounts.of(TRAIN, 4, longest=2).look_up(held_out)
    monkeypatch.setattr(repeated, "COUNTED_WORDS", 0)
    same_words, repeated_pairs = SequenceCounts.of(TRAIN, 4, longest=2).look_up(held_out)
    for one, other in zip(vars(words).values(), vars(same_words).values(), strict=True):
        assert one.tolist() == other.tolist()
    assert pairs.same.tolist() == [0, 2, 0, 0, 1, 0]
    assert repeated_pairs.same.tolist() == [0, 2, 0, 0, 0, 0]
    assert repeated_pairs.all.tolist() == [0, 2, 0, 0, 2, 0]
    assert repeated_pairs.kinds.tolist() == [0, 1, 0, 0, 1, 0]


def test_bigram_by_hand():
    model = BackoffBigram.fit(TRAIN, vocabulary_size=4, mu=2.0, smoothing=0.5)
    u = np.array([3.5, 3.5, 1.5, 0.5]) / 9
    held_out = HeldOut.of(Documents.from_lists([[[0, 1, 2], [0, 3]], []]), ALL_SCORED)
    expected = [
        u[0],
        (2 + 2 * u[1]) / (3 + 2),  # 0 1 twice, 0 followed by anything three times
        u[2],  # nothing ever followed 1 inside a span
        u[0],
        (0 + 2 * u[3]) / (3 + 2),
    ]
    words = model.word_log_probabilities(held_out)
    assert words == pytest.approx(np.log(expected))


@pytest.mark.parametrize("at_once", [1, 50, 1 << 18])
def test_words_with_a_neighbour_before_them_some_documents_at_a_time(monkeypatch, at_once):
    monkeypatch.setattr(baseline, "AT_ONCE", at_once)
    model, documents = BackoffBigram.fit(two_topics(30, 0), VOCABULARY_SIZE), two_topics(20, 1)
    held_out = HeldOut.of(documents)
    words = model.word_log_probabilities(held_out)[held_out.continues]
    assert 0 < len(words) < held_out.scored.n_words
    found = baseline.continuation_log_likelihood(model, documents)
    assert found == pytest.approx(words.mean(), rel=1e-12)
    alone = Documents.from_lists([[[0]], [], [[1], [2]]])
    assert baseline.continuation_log_likelihood(model, alone) is None


def test_every_conditional_distribution_sums_to_one():
    train = two_topics(30, seed=0)
    pairs = [[[v, w]] for v in range(VOCABULARY_SIZE) for w in range(VOCABULARY_SIZE)]
    held_out = HeldOut.of(Documents.from_lists(pairs), ALL_SCORED)
    for mu in (0.1, 7.0, 1000.0):
        model = BackoffBigram.fit(train, VOCABULARY_SIZE, mu)
        probabilities = np.exp(model.word_log_probabilities(held_out)).reshape(-1, 2)
        assert probabilities[:VOCABULARY_SIZE, 1].sum() == pytest.approx(1)
        after = probabilities[:, 1].reshape(VOCABULARY_SIZE, VOCABULARY_SIZE)
        assert after.sum(1) == pytest.approx(np.ones(VOCABULARY_SIZE))
        starts = probabilities[:, 0].reshape(VOCABULARY_SIZE, VOCABULARY_SIZE)[:, 0]
        assert starts.sum() == pytest.approx(1)


def test_a_large_mu_is_the_unigram():
    train, held_out = two_topics(30, seed=0), HeldOut.of(two_topics(10, seed=1))
    unigram = Unigram.fit(train, VOCABULARY_SIZE).word_log_probabilities(held_out)
    bigram = BackoffBigram.fit(train, VOCABULARY_SIZE, mu=1e12)
    assert bigram.word_log_probabilities(held_out) == pytest.approx(unigram, abs=1e-9)


def test_documents_without_neighbours_or_words():
    counts = SequenceCounts.of(Documents.from_lists([[[0], [1]], []]), vocabulary_size=2, longest=3)
    for seen in counts.look_up(Documents.from_lists([[[0, 1, 0]]]))[1:]:
        assert seen.same.tolist() == seen.all.tolist() == seen.kinds.tolist() == [0, 0, 0]
    nothing = HeldOut.of(Documents.from_lists([[]]))
    assert BackoffBigram.fit(TRAIN, 4).word_log_probabilities(nothing).shape == (0,)
    assert [len(seen.same) for seen in observed_counts(nothing, 4, longest=2)] == [0, 0]


def test_smoothing_has_to_leave_something_for_unseen_words():
    assert Unigram.fit(two_topics(9, 0), VOCABULARY_SIZE).probabilities[UNSEEN] > 0
    with pytest.raises(ValueError, match="smoothing is 0"):
        Unigram.fit(TRAIN, 4, smoothing=0)
    with pytest.raises(ValueError, match="strength is 0"):
        BackoffBigram.fit(TRAIN, 4, mu=0).word_log_probabilities(HeldOut.of(TRAIN, ALL_SCORED))


def test_the_urn_by_hand():
    observed, base = [0, 1, 1, 3], np.log([0.1, 0.2, 0.3, 0.4])
    held_out = HeldOut(Documents.from_lists([[observed]]), Documents.from_lists([[[0, 1, 2, 3]]]))
    (seen,) = observed_counts(held_out, 4, longest=1)
    drawn = np.exp(interpolated(base, seen, Trust(7.0)))
    assert drawn.sum() == pytest.approx(1)
    assert drawn[1] == pytest.approx((7 * 0.2 + 2) / 11)
    np.testing.assert_allclose(interpolated(base, seen, Trust(1e12)), base, rtol=1e-9)
