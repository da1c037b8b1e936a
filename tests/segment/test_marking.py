"""Marked phrases: planted ones are marked, stop words never stand at their ends."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.config import SegmentConfig
from segtopic.corpus.records import Record
from segtopic.errors import ConfigError
from segtopic.segment import Marker, Segmenter, SegmentJob
from tests.training.planted import PHRASES, WORDS

KNOWN = [word for topic in WORDS for word in topic[:4]] + PHRASES[0][0] + PHRASES[1][2]
PIECES = [*KNOWN, "unknown", ",", ".", "\n", "the"]
FIRST, SECOND = (" ".join(PHRASES[0][number]) for number in (2, 0))


@pytest.fixture(scope="module")
def marker(trained):
    return Marker.of(trained, Segmenter.of(trained, refine_steps=2))


def test_planted_phrases_are_marked_and_nothing_else(marker):
    text = f"{WORDS[0][0]} {FIRST.upper()}, (so {SECOND})"
    (document,) = marker.mark([text])
    assert [phrase.text for phrase in document.phrases] == [FIRST.upper(), SECOND]
    assert [text[phrase.start : phrase.end] for phrase in document.phrases] == [
        phrase.text for phrase in document.phrases
    ]
    assert all(phrase.probability > 0.9 for phrase in document.phrases)
    assert [word for segment in document.segments for word in segment.words] == list(document.words)


@given(
    st.lists(st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join), max_size=4),
    st.sampled_from(["exact", "together"]),
    st.sampled_from([None, 0.05, 0.5]),
)
def test_marks_are_phrases_of_several_words_that_do_not_overlap(
    trained, marker, texts, posterior, threshold
):
    stop = frozenset(KNOWN[:5])
    found = Marker(marker.segmenter, stop, threshold, posterior).mark(texts)
    for text, document in zip(texts, found, strict=True):
        end = 0
        for phrase in document.phrases:
            assert len(phrase.words) > 1
            assert phrase.words[0] not in stop
            assert phrase.words[-1] not in stop
            assert phrase.start >= end
            assert text[phrase.start : phrase.end] == phrase.text
            assert (threshold or 0) < phrase.probability <= 1
            end = phrase.end
        parts = itertools.zip_longest(document.gaps, document.phrases)
        assert "".join(gap + (phrase.text if phrase else "") for gap, phrase in parts) == text


def test_marks_of_a_document_do_not_depend_on_its_neighbours(marker):
    texts = [f"{FIRST} {WORDS[1][0]}", f"{WORDS[0][1]} {SECOND} {WORDS[0][2]}", ""]
    together = marker.mark(texts)
    for text, document in zip(texts, together, strict=True):
        (alone,) = marker.mark([text])
        assert [phrase.text for phrase in alone.phrases] == [
            phrase.text for phrase in document.phrases
        ]
        assert [phrase.probability for phrase in alone.phrases] == pytest.approx(
            [phrase.probability for phrase in document.phrases], rel=1e-9
        )


def written(trained, text, **settings):
    job = SegmentJob.of(trained, SegmentConfig(phrases="marked", **settings))
    pieces = []
    job.write([Record("a", text, "")], pieces.append)
    return "".join(pieces)


def test_formats_show_marked_phrases(trained):
    text = f"{WORDS[0][0]} {FIRST}, {WORDS[0][1]}"
    assert f"{WORDS[0][0]} [{FIRST}], {WORDS[0][1]}\n" in written(trained, text)
    (segment,) = json.loads(written(trained, text, format="jsonl"))["segments"]
    assert segment["text"] == FIRST
    assert segment["start"] == text.index(FIRST)
    joined = FIRST.replace(" ", "_")
    assert written(trained, text, format="gensim").split() == [WORDS[0][0], joined, WORDS[0][1]]
    assert written(trained, text, format="csv").count("\n") == 2
    assert written(trained, text, format="html").count('class="phrase"') == 1
    assert "[" not in written(trained, text, min_probability=1.0)


@pytest.mark.parametrize("several", [{"k_best": 2}, {"sample": 3}])
def test_marks_are_not_one_of_several_segmentations(several):
    with pytest.raises(ConfigError, match="marked phrases come from all segmentations"):
        SegmentConfig(phrases="marked", **several)
