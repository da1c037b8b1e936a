"""Marks keep to what a reader has decided, and the rest is what the grammar says under it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segtopic.errors import ConfigError
from segtopic.segment import Marker, Segmenter
from segtopic.segment.decisions import Decisions
from tests.training.planted import PHRASES, WORDS

TEXT = "On Friday the federal government of Zorkwell met the large blimpish council in the town."


@pytest.fixture(scope="module")
def grammatical(news):
    """A marker with a grammar, of real news."""
    return Marker.of(news, Segmenter.of(news, refine_steps=0))


@pytest.fixture(scope="module")
def plain(trained):
    """A marker without a grammar, of planted phrases."""
    return Marker.of(trained, Segmenter.of(trained, refine_steps=0))


def marked(marker, text, join=(), cut=()):
    """The phrases under decisions, each by the end of the word before it."""
    scored = marker.segmenter.score([text])
    decisions = Decisions(frozenset(join), frozenset(cut))
    candidates = marker.candidates(scored, decisions)
    (document,) = marker.choose(scored, candidates)
    return document.phrases


def texts_of(phrases):
    return [phrase.text for phrase in phrases]


def end_of(text, word):
    return text.index(word) + len(word)


def test_a_cut_phrase_is_not_marked_and_others_stay(grammatical):
    before = texts_of(marked(grammatical, TEXT))
    assert {"federal government", "large blimpish council"} <= set(before)
    after = texts_of(marked(grammatical, TEXT, cut=[end_of(TEXT, "federal")]))
    assert "federal government" not in after
    assert "large blimpish council" in after


def test_joined_words_are_in_one_phrase(grammatical):
    without = "The police met a federal judge of the town council today."
    apart = end_of(without, "town")
    cut = texts_of(marked(grammatical, without, cut=[apart]))
    assert "town council" not in cut
    joined = marked(grammatical, without, join=[apart])
    assert any("town council" in phrase.text for phrase in joined)


def test_words_that_no_grammar_joins_are_a_phrase_for_certain(grammatical):
    ends = [end_of(TEXT, "government"), end_of(TEXT, "of")]
    found = {phrase.text: phrase.probability for phrase in marked(grammatical, TEXT, join=ends)}
    (held,) = [text for text in found if "government of Zorkwell" in text]
    assert found[held] > 0
    stop = {p.text: p.probability for p in marked(grammatical, TEXT, join=[end_of(TEXT, "in")])}
    assert stop["in the"] == 1
    # What the phrase before it was is not lost.
    after = texts_of(marked(grammatical, TEXT, join=[end_of(TEXT, "council")]))
    assert "large blimpish council in" in after


WORDS_AND_MARKS = "The federal government of Zork U.S. Mr J. council said war its 17 Bill , . % and"
PIECES = WORDS_AND_MARKS.split()


@settings(max_examples=25)
@given(st.lists(st.sampled_from(PIECES), min_size=2, max_size=25).map(" ".join), st.data())
def test_every_decision_is_kept(grammatical, text, data):
    keeps_to_decisions(grammatical, text, data, longest=6)


KNOWN = [word for topic in WORDS for word in topic[:3]] + PHRASES[0][0] + ["unknown", ",", "the"]


@settings(max_examples=25)
@given(st.lists(st.sampled_from(KNOWN), min_size=2, max_size=20).map(" ".join), st.data())
def test_every_decision_is_kept_without_a_grammar(plain, text, data):
    keeps_to_decisions(plain, text, data, longest=3)


def keeps_to_decisions(marker, text, data, longest):
    candidates = marker.candidates(marker.segmenter.score([text]))
    ends, last = candidates.ends.tolist(), set(candidates.spans.last_word.tolist())
    inner = [word for word in range(len(ends)) if word not in last]
    kinds = {word: data.draw(st.sampled_from(["join", "cut", None, None])) for word in inner}
    run = 1
    for word in inner:  # no more words are joined than a phrase may have
        run = run + 1 if kinds[word] == "join" and kinds.get(word - 1) == "join" else 2
        if run > longest:
            kinds[word] = None
    join, cut = ([ends[w] for w, own in kinds.items() if own == kind] for kind in ("join", "cut"))
    found = marked(marker, text, join, cut)
    for end in cut:
        assert not any(phrase.start < end < phrase.end for phrase in found)
    for end in join:
        assert sum(phrase.start < end < phrase.end for phrase in found) == 1
    assert all(0 < phrase.probability <= 1 for phrase in found)
    assert all(text[phrase.start : phrase.end] == phrase.text for phrase in found)


def test_nothing_decided_changes_nothing(grammatical, plain):
    for marker, text in ((grammatical, TEXT), (plain, f"{WORDS[0][0]} {' '.join(PHRASES[0][0])}")):
        (free,) = marker.mark([text])
        assert free.phrases == marked(marker, text)


def test_what_is_decided_conditions_what_is_not(grammatical):
    """By the chain rule: p(phrase) = p(phrase | joined) p(joined) + p(phrase | cut) p(cut)."""
    scored = grammatical.segmenter.score([TEXT])
    place = [end_of(TEXT, "blimpish")]
    free = grammatical.candidates(scored)
    word = free.ends.tolist().index(*place)
    apart = float(free.boundaries[word])
    assert 0.001 < apart < 0.999
    joined = grammatical.candidates(scored, Decisions(join=frozenset(place)))
    cut = grammatical.candidates(scored, Decisions(cut=frozenset(place)))
    mixed = (1 - apart) * joined.probabilities + apart * cut.probabilities
    # Single words are not told as phrases, but the longest and the shortest of several are.
    np.testing.assert_allclose(mixed[:, 1:], free.probabilities[:, 1:], atol=1e-3)


@pytest.mark.parametrize(
    ("join", "sentence"),
    [
        ([1], "join: no known word ends at character 1"),
        ([end_of(TEXT, "town")], "no phrase goes beyond it"),
        (
            [end_of(TEXT, word) for word in TEXT.split()[1:7]],
            "7 words from character 3 on would be one phrase, but none has more than 6",
        ),
    ],
)
def test_impossible_decisions_are_a_sentence(grammatical, join, sentence):
    with pytest.raises(ConfigError, match=sentence):
        marked(grammatical, TEXT, join=join)
