"""Counts of sequences and Pitman-Yor levels, against dictionaries and brute force."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus import Documents
from segtopic.evaluate.baselines.counts import Seen, SequenceCounts, observed_counts
from segtopic.evaluate.baselines.pitman_yor import (
    Level,
    Trust,
    fit_trusts,
    interpolated,
    mean_log_likelihood,
    stacked,
)
from segtopic.evaluate.composite import COMPOSITES, Evidence, FittedComposite
from segtopic.evaluate.heldout import HeldOut
from tests.evaluate.corpora import VOCABULARY_SIZE, two_topics

V = 4
spans = st.lists(st.integers(0, V - 1), min_size=1, max_size=6)
texts = st.lists(st.lists(spans, max_size=4), min_size=1, max_size=4)
trusts = st.builds(Trust, strength=st.floats(0.01, 100), discount=st.floats(0, 0.95))


class Slow:
    """Pitman-Yor levels word by word, over dictionaries of histories."""

    def __init__(self, spans, longest):
        self.after = {}
        for span in spans:
            for place, word in enumerate(span):
                for length in range(min(place, longest - 1) + 1):
                    history = tuple(span[place - length : place])
                    self.after.setdefault(history, Counter())[word] += 1

    def seen(self, history, word):
        counted = self.after.get(tuple(history), Counter())
        return counted[word], sum(counted.values()), len(counted)

    def probability(self, history, word, base, trust):
        same, total, kinds = self.seen(history, word)
        kept = max(same - trust.discount, 0)
        return (kept + (trust.strength + trust.discount * kinds) * base) / (trust.strength + total)


def slow_composite(train, observed, scored, base, numbers):
    """Urn, bigram, trigram, own bigrams; ``base[word]`` in every document."""
    text = Slow([span for document in train for span in document], longest=3)
    found = []
    for known, document in zip(observed, scored, strict=True):
        own = Slow(known, longest=2)
        for span in document:
            for place, word in enumerate(span):
                p = own.probability((), word, base[word], numbers[0])
                if place > 0:
                    p = text.probability(span[place - 1 : place], word, p, numbers[1])
                if place > 1:
                    p = text.probability(span[place - 2 : place], word, p, numbers[2])
                if place > 0:
                    p = own.probability(span[place - 1 : place], word, p, numbers[3])
                found.append(p)
    return np.array(found)


def evidence_of(train, held_out):
    return Evidence.of(SequenceCounts.of(train, V, longest=3), held_out)


@given(texts, texts)
def test_counts_equal_those_of_dictionaries(train, text):
    slow = Slow([span for document in train for span in document], longest=3)
    counts = SequenceCounts.of(Documents.from_lists(train), V, longest=3)
    for length, seen in enumerate(counts.look_up(Documents.from_lists(text)), start=1):
        expected = [
            slow.seen(span[place - length + 1 : place], word) if place >= length - 1 else (0, 0, 0)
            for document in text
            for span in document
            for place, word in enumerate(span)
        ]
        found = zip(seen.same.tolist(), seen.all.tolist(), seen.kinds.tolist(), strict=True)
        assert list(found) == expected


@given(texts, texts, st.lists(trusts, min_size=4, max_size=4))
def test_a_composite_equals_the_one_over_dictionaries(train, text, numbers):
    held_out = HeldOut.of(Documents.from_lists(text), 0.6)
    base = np.array([0.1, 0.2, 0.3, 0.4])
    composite = FittedComposite("urn + trigram + own bigrams", numbers)
    evidence = evidence_of(Documents.from_lists(train), held_out)
    words = composite.word_log_probabilities(np.log(base)[held_out.scored.words], evidence)
    parts = (held_out.observed.to_lists(), held_out.scored.to_lists())
    assert np.exp(words) == pytest.approx(slow_composite(train, *parts, base, numbers))


@given(texts, st.lists(spans, max_size=4), spans, st.lists(trusts, min_size=4, max_size=4))
def test_all_words_after_a_history_sum_to_one(train, observed, history, numbers):
    asked = [[[*history, word]] for word in range(V)]
    held_out = HeldOut(Documents.from_lists([observed] * V), Documents.from_lists(asked))
    base = np.log([0.1, 0.2, 0.3, 0.4])[held_out.scored.words]
    evidence = evidence_of(Documents.from_lists(train), held_out)
    for name, ingredients in COMPOSITES.items():
        composite = FittedComposite(name, numbers[: len(ingredients)])
        words = composite.word_log_probabilities(base, evidence).reshape(V, -1)
        assert np.exp(words[:, -1]).sum() == pytest.approx(1, abs=1e-12)


@given(texts, st.lists(spans, min_size=1, max_size=4), st.lists(trusts, min_size=2, max_size=2))
def test_slopes_are_those_of_small_steps(train, text, numbers):
    counts = SequenceCounts.of(Documents.from_lists(train), V, longest=3)
    seen = counts.look_up(Documents.from_lists([text]))[1:]
    base = np.full(len(seen[0].same), 1 / V)
    at = np.ravel([(0.02 + trust.discount, np.log(trust.strength)) for trust in numbers])
    value, slopes = mean_log_likelihood(base, seen, at)
    direct = [Trust(np.exp(strength), discount) for discount, strength in at.reshape(-1, 2)]
    assert value == pytest.approx(stacked(np.log(base), seen, direct).mean())
    for number, slope in enumerate(slopes):
        step = np.zeros(4)
        step[number] = 1e-6
        sides = [mean_log_likelihood(base, seen, at + sign * step)[0] for sign in (1, -1)]
        assert slope == pytest.approx((sides[0] - sides[1]) / 2e-6, abs=1e-6)


def test_scored_words_never_inform_each_other():
    text = [[[0, 1], [2, 3, 2, 3, 2, 3]]]
    held_out = HeldOut.of(Documents.from_lists(text), 0.5)
    assert held_out.scored.to_lists() == [[[2, 3, 2, 3]]]
    words, bigrams = observed_counts(held_out, V, longest=2)
    assert (words.same.tolist(), words.all.tolist()) == ([1, 1, 1, 1], [4] * 4)
    assert (bigrams.same.tolist(), bigrams.all.tolist()) == ([0, 1, 0, 1], [0, 1, 0, 1])


def test_the_numbers_are_better_than_any_on_a_lattice():
    held_out = HeldOut.of(two_topics(40, seed=1))
    counts = SequenceCounts.of(two_topics(10, seed=0), VOCABULARY_SIZE, longest=2)
    seen = counts.look_up(held_out.scored)[1]
    base = np.full(held_out.scored.n_words, -np.log(VOCABULARY_SIZE))
    (found,) = fit_trusts(base, [Level(seen, Trust(1.0, 0.5))])
    best = interpolated(base, seen, found).mean()
    for strength in np.geomspace(0.01, 1000, 30):
        for discount in np.linspace(0, 0.95, 20):
            assert best > interpolated(base, seen, Trust(strength, discount)).mean() - 1e-5


def repeating(n_documents, seed):
    """Documents with words and a pair of their own, in a language where 0 1 goes on with 2."""
    generator = np.random.default_rng(seed)
    documents = []
    for _ in range(n_documents):
        own = generator.permutation(np.arange(3, VOCABULARY_SIZE)).tolist()
        kinds = [[0, 1, 2], [1, 0], own[:2], own[2:3], own[3:4]]
        documents.append([kinds[drawn] for drawn in generator.integers(len(kinds), size=30)])
    return Documents.from_lists(documents)


def test_every_level_is_worth_something_where_its_kind_of_order_is_planted():
    train, dev = repeating(40, seed=0), HeldOut.of(repeating(40, seed=1))
    evidence = Evidence.of(SequenceCounts.of(train, VOCABULARY_SIZE, longest=3), dev)
    base = np.full(dev.scored.n_words, -np.log(VOCABULARY_SIZE))
    order = ["urn", "urn + bigram", "urn + trigram", "urn + trigram + own bigrams"]
    found = [FittedComposite.fit(name, base, evidence) for name in order]
    likelihoods = [one.word_log_probabilities(base, evidence).mean() for one in found]
    assert np.diff([base.mean(), *likelihoods]).min() > 0.01
    assert found[0].settings.keys() == {"urn"}
    assert list(found[3].settings) == ["urn", "bigram", "trigram", "own bigrams"]
    assert found[3].settings["trigram"] == [
        found[3].trusts[2].discount,
        found[3].trusts[2].strength,
    ]


def test_a_level_without_a_discount_keeps_none():
    seen = Seen(np.array([1, 0]), np.array([2, 2]), np.array([2, 2]))
    (found,) = fit_trusts(np.log([0.5, 0.1]), [Level(seen, Trust(30.0))])
    assert found.discount == 0
    assert found.strength != 30.0


@given(trusts)
def test_without_counts_every_level_is_its_base(trust):
    nothing = Seen(*np.zeros((3, 2), dtype=np.int64))
    base = np.log([0.25, 1e-300])
    np.testing.assert_allclose(interpolated(base, nothing, trust), base, rtol=1e-12)


@pytest.mark.parametrize("numbers", [(0.0, 0.5), (-1.0, 0.5), (np.nan, 0.5), (1.0, 1.0), (1, -0.1)])
def test_impossible_numbers_are_refused(numbers):
    with pytest.raises(ValueError, match="but must be"):
        Trust(*numbers)
