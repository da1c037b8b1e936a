from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from segtopic.corpus import Documents
from segtopic.lattice import segment_posteriors
from segtopic.model.packing import pack_phrases
from segtopic.model.topic_model import Latent
from segtopic.topics.beam import most_probable_phrases
from segtopic.topics.phrases import phrase_scores, phrase_words
from segtopic.topics.span_ends import STRENGTH, SpanEnds, learn_span_ends
from tests.topics.models import SWITCHES, TEXT, K, V, all_phrases, small_model
from tests.topics.sampling import lattice_scores, sample, steps_of

THETA = torch.tensor([0.2, 0.5, 0.3], dtype=torch.float64)
CERTAIN = [continuation for continuation, last_step in SWITCHES if last_step == "certain"]
SPAN = st.lists(st.integers(0, V - 1), min_size=1, max_size=6)

# Of 10,000 spans of AP's training part (configs/ap.yaml), those of 1 .. 9 words.
AP_SPANS = np.array([6448, 2508, 741, 213, 62, 19, 6, 1, 1])


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.no_grad():
        yield


def by_looking(spans, weights, words):
    """The equation, for one history, by looking at every place of every span."""
    if not words:
        followed = [place + 1 < len(span) for span in spans for place in range(len(span))]
        return sum(followed) / len(followed)
    begun = going_on = 0.0
    place = 0
    for span in spans:
        for start in range(len(span)):
            if tuple(span[start : start + len(words)]) == words:
                weight = weights[place, len(words) - 1 :].sum()
                begun += weight
                going_on += weight * (start + len(words) < len(span))
            place += 1
    return (going_on + STRENGTH * by_looking(spans, weights, words[1:])) / (begun + STRENGTH)


@given(spans=st.lists(SPAN, min_size=1, max_size=6), seed=st.integers(0, 1000))
def test_chances_are_those_of_looking_everywhere(spans, seed):
    documents = Documents.from_lists([[span] for span in spans])
    weights = np.random.default_rng(seed).random((documents.n_words, 3))
    weights[documents.words_left[:, None] < [1, 2, 3]] = 0
    phrases = all_phrases(3)
    batch = pack_phrases(phrases, 3)
    found = SpanEnds.count(documents, weights, V).chances(batch.levels)
    node = batch.node[batch.spans.first_word, batch.spans.lengths - 1]
    words = [phrase_words(phrase) for phrase in phrases]
    goes_on = {phrase: by_looking(spans, weights, phrase) for phrase in words}
    assert found.goes_on[node].tolist() == pytest.approx([goes_on[phrase] for phrase in words])
    reached = [np.prod([goes_on[phrase[:n]] for n in range(1, len(phrase))]) for phrase in words]
    assert found.reached[node].tolist() == pytest.approx(reached)


@pytest.mark.parametrize("max_length", [1, 2, 3])
@pytest.mark.parametrize("continuation", CERTAIN)
def test_phrases_still_sum_to_one_and_the_beam_finds_them(continuation, max_length):
    model = small_model(continuation, "certain", max_length)
    ends = learn_span_ends(model, Documents.from_lists(TEXT))
    whole = phrase_scores(model, THETA, all_phrases(max_length), ends).whole
    assert whole.exp().sum().item() == pytest.approx(1, abs=1e-12)
    found = most_probable_phrases(model, THETA, len(whole), span_ends=ends)
    best = whole[whole > -torch.inf].sort(descending=True).values
    torch.testing.assert_close(found.log_probability, best)


def test_a_model_that_pays_for_the_ends_of_spans_knows_them_already():
    assert learn_span_ends(small_model("joint", "charged", 3), Documents.from_lists(TEXT)) is None


def test_of_a_large_corpus_some_documents_are_looked_at(monkeypatch):
    model, spans = small_model("phrases", "certain", 2), [[0, 1], [2], [1, 2, 3]]
    repeated = Documents.from_lists([spans] * 9)
    everything = learn_span_ends(model, repeated)
    monkeypatch.setattr("segtopic.topics.span_ends.MOST_WORDS", repeated.n_words // 3)
    some = learn_span_ends(model, repeated)
    third = learn_span_ends(model, Documents.from_lists([spans] * 3))
    levels = pack_phrases(all_phrases(2), 2).levels
    assert some.chances(levels).goes_on.tolist() == third.chances(levels).goes_on.tolist()
    assert some.chances(levels).goes_on.tolist() != everything.chances(levels).goes_on.tolist()


def test_spans_of_one_word_make_no_longer_phrases():
    model = small_model("gated", "certain", 2)
    ends = learn_span_ends(model, Documents.from_lists([[[0], [1]], [[2], [3], [0]]]))
    scores = phrase_scores(model, THETA, all_phrases(2), ends).whole.exp()
    assert scores[V:].sum().item() == 0
    assert scores[:V].sum().item() == pytest.approx(1)


def of_lengths(random, span):
    """Whether a span with the lengths of real ones goes on: they do not look at words."""
    return random.random() < AP_SPANS[len(span) :].sum() / AP_SPANS[len(span) - 1 :].sum()


def after_words(random, span):
    """As after 'vs loss', where a number follows: one word hardly ever has another after it."""
    return random.random() < (0.9, 0.6, 0.05, 0.4)[span[-1]]


@pytest.mark.parametrize("span_goes_on", [of_lengths, after_words])
@pytest.mark.parametrize("continuation", CERTAIN)
def test_listed_probabilities_are_the_shares_that_one_counts(continuation, span_goes_on):
    """In a text drawn from the model, of which only words and spans are known to the listing."""
    model = small_model(continuation, "certain", 3, seed=2)
    generator = torch.Generator().manual_seed(0)
    zeta = torch.randn(1, K, dtype=torch.float64, generator=generator)
    latent, theta = Latent(zeta, torch.zeros(1, dtype=torch.float64)), model.theta(zeta)[0]
    sampled = sample(steps_of(model, latent), 4000, span_goes_on, seed=0)

    spans = [span for (span,) in sampled.documents.to_lists()]
    scores, batch = lattice_scores(model, latent, spans)
    posteriors = segment_posteriors(scores, batch.spans).numpy()
    ends = SpanEnds.count(sampled.documents, posteriors, V)
    counts = Counter(sampled.segments)

    def p_value(listed):
        """Of the counts, if the listed probabilities were true; rare phrases together."""
        words = [phrase_words(phrase) for phrase in listed.words]
        expected = len(sampled.segments) * listed.log_probability.exp().numpy()
        observed = np.array([counts[phrase] for phrase in words])
        assert observed.sum() == len(sampled.segments)
        rare = expected < 5
        cells = [
            np.append(values[~rare], values[rare].sum()) if rare.any() else values
            for values in (observed, expected)
        ]
        return chisquare(*cells).pvalue

    n_phrases = len(all_phrases(3))
    assert p_value(most_probable_phrases(model, theta, n_phrases, span_ends=ends)) > 0.01
    assert p_value(most_probable_phrases(model, theta, n_phrases)) < 1e-9
