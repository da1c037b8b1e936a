"""The LDAs, against plain computations from their topics and theta."""

from functools import partial

import numpy as np
import pytest

from segtopic.corpus import Documents
from segtopic.evaluate.baselines.baseline import score
from segtopic.evaluate.baselines.bigram import BackoffBigram
from segtopic.evaluate.baselines.counts import SequenceCounts
from segtopic.evaluate.baselines.gensim_lda import fit_gensim
from segtopic.evaluate.baselines.phrases_lda import PhraseMerger, PhrasesLda
from segtopic.evaluate.baselines.tomotopy_lda import fit_tomotopy, fold_in
from segtopic.evaluate.baselines.unigram import Unigram
from segtopic.evaluate.heldout import HeldOut
from tests.evaluate.corpora import UNSEEN, VOCABULARY_SIZE, two_topics

TRAIN = two_topics(60, seed=0)
HELD_OUT = HeldOut.of(two_topics(23, seed=1))
FITS = {
    "gensim": partial(fit_gensim, topics=3, eta=0.1, passes=5),
    "tomotopy": partial(fit_tomotopy, topics=3, eta=0.1, iterations=60, states=2),
}


@pytest.fixture(scope="module", params=FITS)
def fitted(request):
    return FITS[request.param](TRAIN, VOCABULARY_SIZE)


def test_predictive_likelihood_is_theta_times_topics(fitted):
    theta = fitted.infer(HELD_OUT.observed)
    expected = [
        sum(np.log(theta[d] @ fitted.topics[:, word]) for span in document for word in span)
        for d, document in enumerate(HELD_OUT.scored.to_lists())
    ]
    assert score(fitted, HELD_OUT).log_likelihood == pytest.approx(expected, abs=1e-9)


def test_distributions_sum_to_one_over_our_vocabulary(fitted):
    assert fitted.topics.shape == (3, VOCABULARY_SIZE)
    assert fitted.topics.sum(1) == pytest.approx(np.ones(3), abs=1e-6)
    theta = fitted.infer(HELD_OUT.observed)
    assert theta.sum(1) == pytest.approx(np.ones(len(theta)), abs=1e-6)
    # The same through the interface: each word of the vocabulary as a document's only scored word.
    observed = TRAIN.select([0] * VOCABULARY_SIZE)
    scored = Documents.from_lists([[[word]] for word in range(VOCABULARY_SIZE)])
    words = fitted.word_log_probabilities(HeldOut(observed, scored))
    assert np.exp(words).sum() == pytest.approx(1, abs=1e-6)
    assert words[UNSEEN] > -np.inf


def test_it_learns_what_documents_are_about(fitted):
    unigram = score(Unigram.fit(TRAIN, VOCABULARY_SIZE), HELD_OUT).per_word
    assert score(fitted, HELD_OUT).per_word > unigram + 0.3


def test_the_same_twice(fitted):
    first, second = (fitted.word_log_probabilities(HELD_OUT) for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.parametrize("library", FITS)
def test_the_seed_decides(library):
    first, second = (FITS[library](TRAIN, VOCABULARY_SIZE, seed=3) for _ in range(2))
    assert np.array_equal(first.topics, second.topics)


def test_an_empty_document_gets_the_prior_s_mean(fitted):
    theta = fitted.infer(Documents.from_lists([[], [[0, 1]], []]))
    assert np.array_equal(theta[0], theta[2])
    assert theta.sum(1) == pytest.approx(np.ones(3), abs=1e-6)
    assert fitted.infer(Documents.from_lists([[], []])).shape == (2, 3)


def test_all_words_observed(fitted):
    everything = HeldOut(TRAIN, Documents.from_lists([[]] * TRAIN.n_documents))
    assert score(fitted, everything).log_likelihood.tolist() == [0.0] * TRAIN.n_documents


def test_top_words_are_sorted(fitted):
    for topic, words in zip(fitted.topics, fitted.top_words(5), strict=True):
        assert topic[words].tolist() == sorted(topic, reverse=True)[:5]


@pytest.mark.parametrize("library", FITS)
def test_no_training_word_is_refused(library):
    with pytest.raises(ValueError, match="hold no word"):
        FITS[library](Documents.from_lists([[]]), VOCABULARY_SIZE)


def test_an_unseen_word_gets_what_the_prior_gives_it():
    """With one topic the counts are known: p(w) = (c(w) + eta) / (N + eta V)."""
    lda = fit_tomotopy(TRAIN, VOCABULARY_SIZE, topics=1, eta=0.3, iterations=5)
    counts = np.bincount(TRAIN.words, minlength=VOCABULARY_SIZE)
    assert counts[UNSEEN] == 0
    assert lda.topics[0] == pytest.approx(
        (counts + 0.3) / (TRAIN.n_words + 0.3 * VOCABULARY_SIZE), rel=1e-5
    )


def test_with_a_bigram_every_conditional_sums_to_one(fitted):
    model = BackoffBigram(fitted, SequenceCounts.of(TRAIN, VOCABULARY_SIZE, longest=2), mu=20.0)
    observed = TRAIN.select([1] * VOCABULARY_SIZE)
    for before in (0, 5, UNSEEN):
        pairs = Documents.from_lists([[[before, word]] for word in range(VOCABULARY_SIZE)])
        words = model.word_log_probabilities(HeldOut(observed, pairs)).reshape(-1, 2)
        assert np.exp(words[:, 1]).sum() == pytest.approx(1, abs=1e-6)


def test_with_a_bigram_of_infinite_mu_it_is_the_lda(fitted):
    base = fitted.word_log_probabilities(HELD_OUT)
    counts = SequenceCounts.of(TRAIN, VOCABULARY_SIZE, longest=2)
    far = BackoffBigram(fitted, counts, mu=1e15).word_log_probabilities(HELD_OUT)
    near = BackoffBigram(fitted, counts, mu=20.0).word_log_probabilities(HELD_OUT)
    assert far == pytest.approx(base, abs=1e-9)
    assert np.array_equal(near[~HELD_OUT.continues], base[~HELD_OUT.continues])
    assert near.mean() > base.mean()


def test_fold_in_equals_updating_word_by_word():
    generator = np.random.default_rng(0)
    topics = generator.dirichlet(np.ones(6), size=3)
    alpha = np.array([0.2, 0.5, 0.1])
    observed = Documents.from_lists([[[0, 1, 1], [5]], [], [[2, 2, 2, 2]]])
    theta = fold_in(topics, alpha, observed, iterations=7)
    for d, document in enumerate(observed.to_lists()):
        words = [word for span in document for word in span]
        shares = np.array([topics[:, w] * alpha for w in words]).reshape(-1, 3)
        shares /= shares.sum(1, keepdims=True)
        for _ in range(7):
            shares = np.array(
                [topics[:, w] * (alpha + shares.sum(0) - shares[i]) for i, w in enumerate(words)]
            ).reshape(-1, 3)
            shares /= shares.sum(1, keepdims=True)
        expected = (alpha + shares.sum(0)) / (alpha.sum() + len(words))
        assert theta[d] == pytest.approx(expected)


def test_fold_in_does_not_depend_on_its_parts(monkeypatch):
    generator = np.random.default_rng(0)
    topics, alpha = generator.dirichlet(np.ones(VOCABULARY_SIZE), size=3), np.full(3, 0.1)
    whole = fold_in(topics, alpha, TRAIN)
    monkeypatch.setattr("segtopic.evaluate.baselines.tomotopy_lda._ROWS_AT_ONCE", 7)
    assert fold_in(topics, alpha, TRAIN) == pytest.approx(whole)


@pytest.fixture(scope="module")
def merger():
    return PhraseMerger.learn(TRAIN, VOCABULARY_SIZE, threshold=0.02, min_count=1)


def test_phrases_are_merged_and_counted_as_their_words(merger):
    assert {(0, 1), (5, 6)} <= set(merger.phrases)
    tokens = merger.merge(HELD_OUT.scored)
    assert tokens.n_words < HELD_OUT.scored.n_words
    assert merger.words_per_token[tokens.words].sum() == HELD_OUT.scored.n_words
    assert tokens.spans_per_document.tolist() == HELD_OUT.scored.spans_per_document.tolist()


def test_phrases_lda_is_the_lda_of_tokens_per_original_word(merger):
    model = PhrasesLda.fit(TRAIN, merger, FITS["tomotopy"])
    assert model.lda.topics.shape == (3, merger.n_tokens)
    assert model.lda.topics.sum(1) == pytest.approx(np.ones(3), abs=1e-6)
    tokens = HeldOut(merger.merge(HELD_OUT.observed), merger.merge(HELD_OUT.scored))
    of_tokens, of_words = score(model.lda, tokens), score(model, HELD_OUT)
    assert of_words.log_likelihood == pytest.approx(of_tokens.log_likelihood)
    assert of_words.words.tolist() == HELD_OUT.scored.words_per_document.tolist()


def test_a_phrase_without_training_tokens_is_read_as_its_words(merger):
    unknown = PhraseMerger(VOCABULARY_SIZE, merger.passes, phrases=((5, 6),))
    merged = unknown.merge(Documents.from_lists([[[0, 1], [5, 6]], []]))
    assert merged.to_lists() == [[[0, 1], [VOCABULARY_SIZE]], []]
