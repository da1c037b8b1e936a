"""Marks by grammar and segment model: unknown words, names, numbers, wishes, places."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segtopic.errors import RunError
from segtopic.runs import load_run
from segtopic.segment import KeyPhraseFinder, Marker, Segmenter
from segtopic.segment.wishes import Wishes


@pytest.fixture(scope="module")
def trained(news):
    return news


@pytest.fixture(scope="module")
def marker(trained):
    return Marker.of(trained, Segmenter.of(trained, refine_steps=0))


def marked(marker, text):
    (document,) = marker.mark([text])
    return [phrase.text for phrase in document.phrases]


def test_the_run_has_a_grammar(trained):
    openers = trained.corpus.grammar.signs.openers
    assert {"the", "a", "its", "their"} <= openers
    assert not {"of", "in", "to", "and", "he"} & openers


def test_names_that_were_never_seen_are_joined(marker):
    text = "On Friday the directors of Zorkwell Interplanetary met Mr Quibbleton in the town."
    found = marked(marker, text)
    assert "Zorkwell Interplanetary" in found
    assert "Mr Quibbleton" in found


def test_initials_and_states_are_inside_a_name(marker):
    found = marked(marker, "He said that John Q. Zarvey of the U.S. Treasury had left.")
    assert "John Q. Zarvey" in found
    assert "U.S. Treasury" in found


def test_words_that_were_never_seen_are_in_phrases(marker):
    found = marked(marker, "The police found a large blimpish zeppeloid near the river.")
    assert "large blimpish zeppeloid" in found


def test_verbs_and_numbers_are_not(marker):
    found = marked(marker, "The federal government told 17 new members of the council to leave.")
    assert "federal government" in found
    assert "new members" in found
    assert not any("told" in phrase or "17" in phrase for phrase in found)


def test_wishes_are_fulfilled(trained):
    numbers = trained.vocabulary.numbers
    text = "the federal government said the prime minister was in the south"
    join = frozenset({tuple(numbers[word] for word in ("government", "said"))})
    split = frozenset({tuple(numbers[word] for word in ("prime", "minister"))})
    for wishes, inside, outside in (
        (Wishes(join=join), "government said", "federal government"),
        (Wishes(split=split), "federal government", "prime minister"),
    ):
        segmenter = Segmenter.of(trained, refine_steps=0, wishes=wishes)
        found = marked(Marker.of(trained, segmenter), text)
        # "said" is a stop word of no list; joined, it is a phrase for certain.
        assert inside in found
        assert outside not in found


WORDS = (
    "The the federal government of Zork U.S. Mr J. council said zeppeloid war wars' its 17 Bill "
    "bill"
)
PIECES = [*WORDS.split(), *"$%&,.!'", "\u2019s", "pieces-of-eight", "BANK", "and", "\n\n"]


@settings(max_examples=40)
@given(
    st.lists(st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join), max_size=4),
    st.sampled_from(["exact", "together"]),
    st.sampled_from([None, 0.05, 0.5]),
)
def test_marks_are_phrases_of_several_words_that_do_not_overlap(
    trained, marker, texts, posterior, threshold
):
    some = Marker.of(trained, marker.segmenter, threshold, posterior)
    for text, document in zip(texts, some.mark(texts), strict=True):
        end = 0
        for phrase in document.phrases:
            assert len(phrase.words) > 1
            for word in (phrase.text.split()[0], phrase.text.split()[-1]):
                assert word not in marker.stop_words  # with a capital it is a name
            assert phrase.start >= end
            assert text[phrase.start : phrase.end] == phrase.text
            assert (threshold or 0) < phrase.probability <= 1
            end = phrase.end
        (alone,) = some.mark([text])
        assert [one.text for one in alone.phrases] == [one.text for one in document.phrases]
        known = [word for word in document.words if word in trained.vocabulary.numbers]
        assert known == [
            trained.vocabulary.words[word]
            for word in trained.encoder.encode([text]).documents.words.tolist()
        ]


def test_key_phrases_may_hold_unknown_words(trained, marker):
    text = "The Zorkwell council met. A man of the Zorkwell council left the Zorkwell council."
    ((first, *_),) = KeyPhraseFinder.of(trained, marker).find([text])
    assert first.text == "Zorkwell council"
    assert [text[one.start : one.end] for one in first.occurrences] == ["Zorkwell council"] * 3


def test_the_grammar_is_saved_with_the_run(trained, marker, lee, tmp_path):
    text = lee[0]
    again = load_run(trained.save(tmp_path / "run").folder)
    segmenter = Segmenter.of(again, refine_steps=0)
    assert marked(Marker.of(again, segmenter), text) == marked(marker, text)
    (tmp_path / "run" / "grammar.safetensors").write_bytes(b"another")
    with pytest.raises(RunError, match="has changed since the training"):
        load_run(tmp_path / "run")
    (tmp_path / "run" / "grammar.safetensors").unlink()
    with pytest.raises(RunError, match=r"grammar\.safetensors"):
        load_run(tmp_path / "run")
