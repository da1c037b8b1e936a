import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.errors import ConfigError
from segtopic.segment import Segmenter
from segtopic.segment.alternatives import best_alternatives, sampled_alternatives
from segtopic.segment.wishes import Wishes, read_phrases
from tests import oracle
from tests.training.planted import PHRASES, WORDS, planted_texts

KNOWN = [word for topic in WORDS for word in topic[:4]] + PHRASES[0][0] + PHRASES[1][2]
PIECES = [*KNOWN, "unknown", ",", ".", " ", "\n", "é\u0301", "\u202e", "<b>", "=1", "the"]


@pytest.fixture(scope="module")
def segmenter(trained):
    return Segmenter.of(trained, refine_steps=4)


def by_span(scored):
    """The scores of each span, beside the number of its document."""
    first = scored.spans.first_word.tolist()
    lengths = scored.spans.lengths.tolist()
    documents = np.repeat(
        np.arange(len(scored.texts)), scored.encoded.documents.spans_per_document
    ).tolist()
    return [
        (document, scored.scores[begin : begin + length])
        for document, begin, length in zip(documents, first, lengths, strict=True)
    ]


def lengths_in(document):
    return tuple(len(phrase.words) for phrase in document.phrases)


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join), max_size=4))
def test_nothing_of_a_text_is_lost(segmenter, texts):
    documents = segmenter.segment(texts)
    assert [document.text for document in documents] == texts
    for document in documents:
        parts = itertools.zip_longest(document.gaps, document.phrases)
        rebuilt = "".join(gap + (phrase.text if phrase else "") for gap, phrase in parts)
        assert rebuilt == document.text
        assert [w for phrase in document.phrases for w in phrase.words] == list(document.words)
        assert all(0 <= phrase.probability <= 1 for phrase in document.phrases)
        assert document.topics.sum() == pytest.approx(1)


def test_planted_phrases_are_found_with_their_place_and_case(segmenter):
    first, second = PHRASES[0][2], PHRASES[0][0]
    text = f"{WORDS[0][0]} {' '.join(first).upper()}, (so {' '.join(second)})"
    (document,) = segmenter.segment([text])
    phrases = {phrase.text: phrase for phrase in document.phrases}
    found = phrases[" ".join(first).upper()]
    assert found.words == tuple(first)
    assert text[found.start : found.end] == found.text
    assert found.probability > 0.9
    assert " ".join(second) in phrases


def test_topics_of_a_document_are_those_of_its_words(segmenter):
    texts, labels = planted_texts(30, seed=5)
    topics = segmenter.topics(texts).argmax(1)
    for label in range(3):
        assert len(set(topics[labels == label])) == 1
    assert len(set(topics)) == 3


def test_probabilities_are_those_of_all_segmentations_together(segmenter):
    scored = segmenter.score([" ".join([*PHRASES[1][2], WORDS[1][0], *PHRASES[1][0]])])
    ((_, scores),) = by_span(scored)
    (document,) = segmenter.read_off(scored, segmenter.best(scored))
    everything = oracle.probabilities(scores)
    best = max(everything, key=everything.get)
    assert lengths_in(document) == best
    posteriors = oracle.posteriors(scores)
    start = 0
    for phrase in document.phrases:
        size = len(phrase.words)
        assert phrase.probability == pytest.approx(float(posteriors[start, size - 1]), abs=1e-9)
        start += size
    for word in range(len(scores)):
        ends = sum(
            probability
            for lengths, probability in everything.items()
            if oracle.ends_of(lengths)[word]
        )
        assert document.boundaries[word] == pytest.approx(ends, abs=1e-9)


def test_a_batch_gives_what_single_texts_give(segmenter):
    texts, _ = planted_texts(5, seed=7)
    together = segmenter.segment([*texts, "", "unknown words only"])
    for text, document in zip(texts, together, strict=False):
        (alone,) = segmenter.segment([text])
        assert lengths_in(alone) == lengths_in(document)
        np.testing.assert_allclose(alone.boundaries, document.boundaries, atol=1e-4)
    assert together[-1].phrases == together[-2].phrases == []


def test_unsure_phrases_fall_apart(trained):
    texts, _ = planted_texts(20, seed=9)
    plain = Segmenter.of(trained, 0).segment(texts)
    sure = Segmenter.of(trained, 0, min_probability=0.95).segment(texts)
    for before, after in zip(plain, sure, strict=True):
        kept = {(p.start, p.end) for p in before.phrases if p.probability >= 0.95}
        for phrase in after.phrases:
            assert len(phrase.words) == 1 or (phrase.start, phrase.end) in kept
    assert sum(map(len, (d.phrases for d in sure))) > sum(map(len, (d.phrases for d in plain)))


@pytest.mark.parametrize("k", [1, 2, 7])
def test_best_alternatives_are_those_of_whole_documents(segmenter, k):
    a, b = WORDS[0][0], WORDS[0][1]
    texts = [f"{a} {b}, {' '.join(PHRASES[0][0])} {a}, {b}", "", a, f"{b} {a}. {a} {b} {a}"]
    scored = segmenter.score(texts)
    found = best_alternatives(segmenter, scored, k)
    spans = by_span(scored)
    for number, alternatives in enumerate(found):
        own = [oracle.probabilities(scores) for document, scores in spans if document == number]
        whole = {
            sum(lengths, ()): math.fsum(
                math.log(p[part]) for p, part in zip(own, lengths, strict=True)
            )
            for lengths in itertools.product(*own)
        }
        best = sorted(whole.values(), reverse=True)[:k]
        values = [alternative.log_probability for alternative in alternatives]
        np.testing.assert_allclose(values, best, atol=1e-9)
        lengths = [lengths_in(alternative.document) for alternative in alternatives]
        assert len(set(lengths)) == len(lengths)
        np.testing.assert_allclose([whole[way] for way in lengths], values, atol=1e-9)


def test_samples_come_with_their_probability(segmenter):
    scored = segmenter.score([" ".join([WORDS[0][0], *PHRASES[0][2], WORDS[0][1]]), ""])
    drawn, nothing = sampled_alternatives(segmenter, scored, 4000, ["a", "b"], seed=3)
    assert len(nothing) == 4000
    ((_, scores),) = by_span(scored)
    for lengths, probability in oracle.probabilities(scores).items():
        mine = [a.log_probability for a in drawn if lengths_in(a.document) == lengths]
        assert len(mine) / 4000 == pytest.approx(probability, abs=0.04)
        assert all(math.exp(value) == pytest.approx(probability) for value in mine)


def numbers(trained, words):
    return tuple(trained.vocabulary.numbers[word] for word in words)


def test_wishes_leave_the_exact_posterior_of_what_remains(trained, segmenter):
    a, b, c, d = WORDS[0][:4]
    wishes = Wishes(
        join=frozenset({numbers(trained, (a, b))}), split=frozenset({numbers(trained, (c, d))})
    )
    text = f"{c} {a} {b} {c} {d} {a}"
    ((_, free),) = by_span(segmenter.score([text]))
    wishing = Segmenter.of(trained, 4, wishes)
    scored = wishing.score([text])

    def allowed(lengths):
        ends = oracle.ends_of(lengths)
        return not ends[1] and ends[3]

    left = {way: p for way, p in oracle.probabilities(free).items() if p > 0 and allowed(way)}
    total = sum(left.values())
    ((_, bound),) = by_span(scored)
    exact = {way: p for way, p in oracle.probabilities(bound).items() if p > 0}
    assert exact.keys() == left.keys()
    for way, probability in left.items():
        assert exact[way] == pytest.approx(probability / total)
    (document,) = wishing.read_off(scored, wishing.best(scored))
    assert allowed(lengths_in(document))


@given(st.lists(st.sampled_from(range(4)), min_size=1, max_size=14), st.data())
def test_wishes_never_contradict_each_other(trained, segmenter, text, data):
    words = WORDS[0][:4]
    phrases = st.frozensets(st.lists(st.sampled_from(words), min_size=2, max_size=3).map(tuple))
    join, split = data.draw(phrases), data.draw(phrases)
    try:
        wishes = Wishes(
            *(frozenset(numbers(trained, phrase) for phrase in part) for part in (join, split))
        )
    except ConfigError:
        return
    wishing = Segmenter.of(trained, 0, wishes)
    scored = wishing.score([" ".join(words[i] for i in text)])
    (document,) = wishing.read_off(scored, wishing.best(scored))
    assert np.isfinite([phrase.probability for phrase in document.phrases]).all()
    for phrase in document.phrases:
        for unwanted in split:
            places = range(len(phrase.words) - len(unwanted) + 1)
            assert not any(phrase.words[i : i + len(unwanted)] == unwanted for i in places)


def test_a_phrase_that_is_too_long_or_contradicts_is_refused(trained, tmp_path):
    path = tmp_path / "phrases.txt"
    path.write_text(" ".join(WORDS[0][:4]) + "\n")
    with pytest.raises(ConfigError, match="has 4 words, but the model's segments have at most 3"):
        read_phrases(path, trained.encoder, 3)
    with pytest.raises(ConfigError, match="lies inside a phrase to join"):
        Wishes(frozenset({(1, 2, 3)}), frozenset({(2, 3)}))


def test_phrase_files_name_what_cannot_be_used(trained, tmp_path):
    path = tmp_path / "phrases.txt"
    a, b = WORDS[0][:2]
    path.write_text(f"# my phrases\n\n{a.upper()} {b}\n{a}\nunknown {a} {b}\n{a}, {b}\n")
    found = read_phrases(path, trained.encoder, 3)
    assert found.phrases == {numbers(trained, (a, b))}
    assert found.unusable == (a, f"unknown {a} {b}", f"{a}, {b}")


def test_a_training_document_does_not_teach_its_own_segmentation(trained):
    corpus = trained.corpus
    number = int(corpus.split.train[0])
    text = trained.texts([number])[number]
    segmenter = Segmenter.of(trained, refine_steps=0)
    memory = trained.model.scorer.continuation.phrases
    own = corpus.documents.select(np.array([number]))
    (as_trained,) = segmenter.segment([text], trained_on=True)
    everything = corpus.train
    try:
        memory.learn(corpus.documents.select(corpus.split.train[1:]))
        (as_new,) = segmenter.segment([text])
    finally:
        memory.learn(everything)
    assert len(as_new.words) == own.n_words
    np.testing.assert_allclose(as_trained.boundaries, as_new.boundaries, atol=1e-5)
    (in_sample,) = segmenter.segment([text])
    assert len(in_sample.phrases) < len(as_new.phrases)  # chance meetings would be phrases
