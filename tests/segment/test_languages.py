"""German and French: real texts with files of stop words, umlauts, elisions, a stop word inside."""

import re
from pathlib import Path

import pytest

from segtopic import SegTopic
from segtopic.config import SegmentConfig
from segtopic.corpus.records import Record
from segtopic.segment import Marker, Segmenter, SegmentJob
from segtopic.segment.wishes import Wishes

TEXTS = Path(__file__).parents[1] / "texts"
SMALL = {"n_topics": 2, "hidden_size": 8, "encoder_size": 8, "epochs": 1, "random_state": 0}


def sentences(name):
    return re.split(r"(?<=\.)\s+", (TEXTS / name).read_text(encoding="utf-8").strip())


def fitted(name, stop_words):
    """A model of the text's sentences, each often enough for phrases to be learned."""
    stop = str(TEXTS / stop_words) if stop_words else None
    settings = {"refine_steps": 2, "dev_share": 0.1, "max_segment_length": 3}
    return SegTopic(**SMALL, **settings, stop_words=stop).fit(sentences(name) * 20)


@pytest.fixture(scope="module")
def german():
    return fitted("verwandlung.txt", "german_stop_words.txt")


@pytest.fixture(scope="module")
def french():
    return fitted("vingt_mille_lieues.txt", "french_stop_words.txt")


@pytest.fixture(scope="module")
def french_reading():
    """Stop words are words."""
    return fitted("vingt_mille_lieues.txt", None)


def listed(name):
    lines = (TEXTS / name).read_text(encoding="utf-8").splitlines()
    return {line for line in lines if not line.startswith("#")}


def test_german_words_keep_their_umlauts_and_stop_words_end_spans(german):
    words = set(german.vocabulary_.words)
    assert {"träumen", "rücken", "gewölbten", "bogenförmigen", "kläglich", "bettdecke"} <= words
    assert not words & listed("german_stop_words.txt")


def test_german_phrases_are_marked_as_they_stand(german):
    text = " ".join(sentences("verwandlung.txt"))
    phrases = german.mark(text)
    assert "unruhigen Träumen erwachte" in [phrase.text for phrase in phrases]
    stop = listed("german_stop_words.txt")
    for phrase in phrases:
        assert text[phrase.start : phrase.end] == phrase.text
        assert not {phrase.words[0], phrase.words[-1]} & stop


def test_french_elisions_are_split_off(french):
    words = set(french.vocabulary_.words)
    assert {"année", "esprit", "intérieur", "événement"} <= words
    assert not any("'" in word or "\u2019" in word for word in words)
    (phrase,) = (one for one in french.mark("Surexcitaient l\u2019esprit public.") if one)
    assert phrase.text == "esprit public"


def test_a_french_phrase_may_hold_a_stop_word_but_not_end_with_one(french_reading):
    trained = french_reading.trained_
    text = "les gens de mer furent particulièrement émus"
    numbers = trained.vocabulary.numbers
    wish = Wishes(join=frozenset({tuple(numbers[word] for word in ("gens", "de", "mer"))}))
    segmenter = Segmenter.of(trained, wishes=wish)
    marker = Marker.of(trained, segmenter, stop_words=str(TEXTS / "french_stop_words.txt"))
    (document,) = marker.mark([text])
    phrase = document.phrases[0]
    assert (phrase.text, phrase.words) == ("gens de mer", ("gens", "de", "mer"))
    assert phrase.probability == pytest.approx(1)
    stop = listed("french_stop_words.txt")
    (document,) = Marker(Segmenter.of(trained), frozenset(stop), threshold=0.01).mark([text])
    assert document.phrases
    assert not any({one.words[0], one.words[-1]} & stop for one in document.phrases)


def test_the_file_can_be_given_with_the_command(french_reading):
    stop = str(TEXTS / "french_stop_words.txt")
    config = SegmentConfig(phrases="marked", mark_stop_words=stop, format="text")
    job = SegmentJob.of(french_reading.trained_, config)
    lines = []
    job.write([Record("a", sentences("vingt_mille_lieues.txt")[1], "")], lines.append)
    brackets = re.findall(r"\[([^\]]*)\]", "".join(lines))
    assert brackets
    assert not any(
        {one.split()[0].lower(), one.split()[-1].lower()} & listed("french_stop_words.txt")
        for one in brackets
    )
