"""Roles of words against the formula, against enumeration, and against planted ones."""

import itertools

import numpy as np
import pytest
import torch

from segtopic.corpus import Documents
from segtopic.lattice import Spans, viterbi
from segtopic.model import SegmentScorer, pack
from segtopic.model.continuations import Context
from segtopic.model.word_roles import Roles, improve, learn_roles
from tests import oracle

V = 4


def some_roles():
    generator = torch.Generator().manual_seed(1)
    first, inside, end = torch.rand(3, V, generator=generator, dtype=torch.float64)
    return Roles(first / first.sum(), inside / inside.sum(), end)


def probability(roles, words):
    value = roles.first[words[0]]
    for before, word in itertools.pairwise(words):
        value = value * (1 - roles.end[before]) * roles.inside[word]
    return float(value * roles.end[words[-1]])


def test_scores_are_those_of_the_formula():
    roles, words = some_roles(), [2, 0, 1, 1, 3]
    scores = roles.scores(torch.tensor(words), 3).exp()
    for start in range(5):
        for length in range(1, min(3, 5 - start) + 1):
            segment = words[start : start + length]
            assert float(scores[start, length - 1]) == pytest.approx(probability(roles, segment))


def test_the_model_started_from_roles_has_their_scores():
    roles = some_roles()
    scorer = SegmentScorer(V, 5, 3, continuation="roles", last_step="charged").double()
    torch.nn.init.zeros_(scorer.continuation.output.weight)
    frequencies = torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64)
    scorer.continuation.start_from_roles(roles, frequencies)
    documents = Documents.from_lists([[[2, 0, 1, 1, 3], [1]]])
    batch = pack(documents, 3)
    x = torch.randn(1, 5, dtype=torch.float64)
    context = Context(scorer, x, offset=frequencies.log()[None])
    scores = scorer.parts(context, batch).scores(batch)
    expected = roles.scores(torch.from_numpy(documents.words.astype(np.int64)), 3)
    inside = batch.spans.remaining[:, None] >= torch.arange(1, 4)
    torch.testing.assert_close(scores[inside], expected[inside])
    assert (scores[~inside] == -torch.inf).all()


def test_phrases_of_every_length_sum_to_one():
    roles = some_roles()
    by_length = [
        sum(probability(roles, words) for words in itertools.product(range(V), repeat=length))
        for length in range(1, 8)
    ]
    # What is left goes on: after the first word, by the words inside.
    goes_on = float((roles.inside * (1 - roles.end)).sum())
    left = float((roles.first * (1 - roles.end)).sum()) * goes_on**6
    assert sum(by_length) + left == pytest.approx(1)


def test_a_round_adds_up_all_segmentations():
    roles, words, lengths = some_roles(), [0, 1, 2, 1, 3, 0, 2], [4, 3]
    first, inside, ends = np.zeros((3, V))
    begin = 0
    for length in lengths:
        span = words[begin : begin + length]
        scores = roles.scores(torch.tensor(span), 3)
        for way, weight in oracle.probabilities(scores).items():
            place = 0
            for size in way:
                first[span[place]] += weight
                for word in span[place + 1 : place + size]:
                    inside[word] += weight
                ends[span[place + size - 1]] += weight
                place += size
        begin += length
    better, _ = improve(roles, torch.tensor(words), Spans.from_lengths(lengths), 3)
    np.testing.assert_allclose(better.first, (first + 0.1) / (first + 0.1).sum(), rtol=1e-6)
    np.testing.assert_allclose(better.inside, (inside + 0.1) / (inside + 0.1).sum(), rtol=1e-6)
    seen = np.bincount(words, minlength=V)
    np.testing.assert_allclose(better.end, (ends + 1) / (seen + 2), rtol=1e-6)


def planted_spans(generator, n_spans):
    """Determiners (0, 1) begin, adjectives (2..5) stand inside, nouns (6..13) end; verbs alone."""
    spans, cuts = [], []
    for _ in range(n_spans):
        span, lengths = [], []
        for _ in range(generator.integers(1, 4)):
            noun_phrase = [
                generator.integers(0, 2),
                *generator.integers(2, 6, size=generator.integers(0, 2)),
                generator.integers(6, 14),
            ]
            for phrase in (noun_phrase, [generator.integers(14, 24)]):
                span += [int(word) for word in phrase]
                lengths.append(len(phrase))
        if generator.random() < 0.5:  # ends with a noun as often as with a verb
            span, lengths = span[:-1], lengths[:-1]
        spans.append(span)
        cuts.append(tuple(lengths))
    return spans, cuts


def test_planted_phrases_are_found_from_the_ends_of_spans():
    generator = np.random.default_rng(0)
    spans, _ = planted_spans(generator, 3000)
    roles = learn_roles(Documents.from_lists([spans]), 24, max_length=3)
    new, cuts = planted_spans(generator, 200)
    words = torch.tensor([word for span in new for word in span])
    layout = Spans.from_lengths([len(span) for span in new])
    ends = viterbi(roles.scores(words, 3), layout).ends.tolist()
    expected = [end for way in cuts for end in oracle.ends_of(way)]
    assert np.mean(np.equal(ends, expected)) > 0.97
    assert roles.end[:6].max() < 0.1 < 0.9 < roles.end[6:].min()


def test_likelihood_never_falls():
    generator = np.random.default_rng(1)
    spans, _ = planted_spans(generator, 500)
    words = torch.tensor([word for span in spans for word in span])
    layout = Spans.from_lengths([len(span) for span in spans])
    roles = random_start()
    history = []
    for _ in range(8):
        roles, likelihood = improve(roles, words, layout, 3)
        history.append(likelihood)
    gains = np.diff(history)
    assert gains.min() > -1e-2 * abs(gains.max())  # the small prior counts are not part of it
    assert gains[0] > 10


def random_start():
    generator = torch.Generator().manual_seed(2)
    first, inside, end = torch.rand(3, 24, generator=generator, dtype=torch.float64)
    return Roles(first / first.sum(), inside / inside.sum(), end)
