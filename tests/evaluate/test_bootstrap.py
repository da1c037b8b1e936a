import numpy as np
import pytest

from segtopic.evaluate.bootstrap import bootstrap_difference, bootstrap_interval
from segtopic.evaluate.heldout import DocumentScores


def simulated(generator, n_documents, mean, hardness=0.0):
    words = generator.integers(1, 40, size=n_documents)
    per_word = mean + hardness + generator.normal(0, 0.5, size=n_documents)
    return DocumentScores(per_word * words, words)


def test_the_interval_covers_the_mean_at_about_its_level():
    generator = np.random.default_rng(5)
    covered = 0
    for run in range(400):
        interval = bootstrap_interval(simulated(generator, 80, -7.5), resamples=300, seed=run)
        covered += interval.low <= -7.5 <= interval.high
    # Percentile intervals of 80 documents are a little short of 95 %; 3 standard errors is 3.3 %.
    assert 0.90 <= covered / 400 <= 0.985


def test_a_wider_level_gives_a_wider_interval_around_the_mean():
    scores = simulated(np.random.default_rng(0), 60, -8.0)
    narrow, wide = (bootstrap_interval(scores, level=level) for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.mean < narrow.high < wide.high
    assert narrow.mean == wide.mean == scores.per_word


def test_pairing_removes_what_is_hard_for_both():
    generator = np.random.default_rng(1)
    words = generator.integers(1, 40, size=100)
    hardness = generator.normal(-8, 1, size=100)
    first = DocumentScores((hardness + 0.1 + generator.normal(0, 0.1, 100)) * words, words)
    second = DocumentScores((hardness + generator.normal(0, 0.1, 100)) * words, words)
    paired = bootstrap_difference(first, second)
    alone = [bootstrap_interval(scores) for scores in (first, second)]
    unpaired_width = np.hypot(*(interval.high - interval.low for interval in alone))
    assert paired.high - paired.low < unpaired_width / 4
    assert paired.excludes_zero
    assert paired.mean == pytest.approx(first.per_word - second.per_word)
    assert not bootstrap_difference(first, first).excludes_zero


def test_the_seed_decides():
    scores = simulated(np.random.default_rng(2), 30, -7.0)
    assert bootstrap_interval(scores, seed=3) == bootstrap_interval(scores, seed=3)
    assert bootstrap_interval(scores, seed=3) != bootstrap_interval(scores, seed=4)


def test_documents_without_scored_words_change_nothing():
    scores = simulated(np.random.default_rng(2), 30, -7.0)
    padded = DocumentScores(
        np.append(scores.log_likelihood, [0, 0]), np.append(scores.words, [0, 0])
    )
    assert bootstrap_interval(padded) == bootstrap_interval(scores)


def test_many_draws_are_made_in_parts(monkeypatch):
    scores = simulated(np.random.default_rng(2), 30, -7.0)
    whole = bootstrap_interval(scores, resamples=100)
    monkeypatch.setattr("segtopic.evaluate.bootstrap._DRAWN_AT_ONCE", 100)
    assert bootstrap_interval(scores, resamples=100) == whole


def test_no_scored_word_at_all():
    nothing = DocumentScores(np.zeros(3), np.zeros(3, dtype=int))
    assert np.isnan(bootstrap_interval(nothing).mean)


def test_scores_of_other_words_are_refused():
    first = DocumentScores(np.zeros(2), np.array([1, 2]))
    second = DocumentScores(np.zeros(2), np.array([2, 1]))
    with pytest.raises(ValueError, match="not of the same scored words"):
        bootstrap_difference(first, second)
    with pytest.raises(ValueError, match="level"):
        bootstrap_interval(first, level=1.5)
