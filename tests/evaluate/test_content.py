"""Content phrases and how found phrases agree with them, against counting one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.errors import CorpusError
from segtopic.evaluate.chunked import ChunkedText
from segtopic.evaluate.content import ContentText, Places
from segtopic.evaluate.judge_content import stop_word_free_runs

SENTENCE = """\
Its PRP$ B-NP
two CD I-NP
big JJ I-NP
state NN I-NP
banks NNS I-NP
hired VBD B-VP
Mr. NNP B-NP
Smith NNP I-NP
's POS B-NP
old JJ I-NP
friend NN I-NP
, , O
who WP B-NP
saw VBD B-VP
Nov. NNP B-NP
12 CD I-NP
and CC O
the DT B-NP
fast JJ I-NP
, , I-NP
red JJ I-NP
car NN I-NP

New NNP I-NP
York NNP I-NP
"""


def content(text):
    return ContentText.of(ChunkedText.parse(text.splitlines(), "here"))


def shown(gold):
    """The phrases as text."""
    words = [
        gold.texts[number][start:].split()[0]
        for number, start in zip(gold.text_of_token, gold.starts, strict=True)
    ]
    return [" ".join(words[first : last + 1]) for first, last in gold.phrases.tolist()]


def test_noun_chunks_lose_what_stands_before_their_content():
    expected = ["big state banks", "Mr. Smith", "old friend", "fast , red car", "New York"]
    assert shown(content(SENTENCE)) == expected


def test_a_chunk_that_begins_with_an_inside_tag_goes_on_only_in_its_sentence():
    assert shown(content("old JJ B-NP\n\nfriend NN I-NP\n")) == []


def test_parts_of_speech_are_needed():
    with pytest.raises(CorpusError, match="without a part of speech"):
        content("New B-NP\nYork I-NP\n")


def marks_of(gold, intervals):
    """Found phrases at the characters of the given tokens; the full stop of 'Mr.' is left out."""
    rows = []
    for first, last in intervals:
        text, start = int(gold.text_of_token[first]), int(gold.starts[first])
        token = gold.texts[text][int(gold.starts[last]) :].split()[0].rstrip(".")
        rows.append((text, start, int(gold.starts[last]) + max(len(token), 1)))
    return Places.of(rows)


@st.composite
def phrases(draw, n_tokens):
    """Places that do not overlap, of at least one token each."""
    cuts = sorted(draw(st.sets(st.integers(0, n_tokens), max_size=n_tokens)))
    return [(a, b - 1) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]


@given(st.data())
def test_agreement_counts_one_by_one(data):
    gold_places = data.draw(phrases(14))
    found_places = data.draw(phrases(14))
    gold = ContentText(
        ["w " * 14],
        np.zeros(14, dtype=np.int64),
        np.arange(14) * 2,
        np.array([p for p in gold_places if p[0] < p[1]], dtype=np.int64).reshape(-1, 2),
    )
    agreement = gold.agreement(marks_of(gold, found_places))
    truth = [set(range(a, b + 1)) for a, b in gold.phrases.tolist()]
    found = [set(range(a, b + 1)) for a, b in found_places if a < b]
    exact = sum(f in truth for f in found)
    score = agreement.exact
    assert (score.found, score.gold, score.both) == (len(found), len(truth), exact)
    inside = sum(any(f <= t for t in truth) for f in found)
    assert agreement.inside == pytest.approx(inside / max(len(found), 1))
    reached = sum(any(f <= t for f in found) for t in truth)
    assert agreement.reached == pytest.approx(reached / max(len(truth), 1))
    crossed = sum(any(f & t and f - t and t - f for f in found) for t in truth)
    assert agreement.crossed == pytest.approx(crossed / max(len(truth), 1))


def test_texts_do_not_mix():
    gold = ContentText(
        ["a b ", "a b "], np.array([0, 0, 1, 1]), np.array([0, 2, 0, 2]), np.array([[2, 3]])
    )
    assert gold.agreement(Places.of([(0, 0, 3)])).exact.both == 0
    assert gold.agreement(Places.of([(1, 0, 3)])).exact.both == 1


def test_phrases_inside_one_token_do_not_count():
    gold = content(SENTENCE)
    assert gold.agreement(Places.of([(0, 0, 2)])).exact.found == 0


def test_nothing_found_and_nothing_to_find():
    gold = content("the DT B-NP\n")
    agreement = gold.agreement(Places.of([]))
    assert agreement.to_dict() == {
        "precision": 0, "recall": 0, "f1": 0, "found": 0, "inside": 0, "reached": 0, "crossed": 0
    }  # fmt: skip


def test_the_rule_of_one_line():
    text = "The old bank of England grew, 30 state banks failed slowly and John Smith left."
    stop = frozenset({"the", "of", "and", "left"})
    found = stop_word_free_runs(["", text], stop, 3)
    shown = [text[start:end] for start, end in zip(found.starts, found.ends, strict=True)]
    # 'state banks failed slowly' has four words; 'England grew' no stop word.
    assert shown == ["old bank", "England grew", "John Smith"]
    assert found.texts.tolist() == [1, 1, 1]
    assert len(stop_word_free_runs([text], stop, 4).starts) == 4
