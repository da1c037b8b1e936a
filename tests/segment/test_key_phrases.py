"""Key phrases and the dictionary, on documents made by hand and on planted phrases."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.cli import main
from segtopic.segment import KeyPhraseFinder, SegmentedDocument, phrase_dictionary
from segtopic.segment.key_phrases import key_phrases, word_rarity
from segtopic.segment.variants import is_part_of, spelling_key
from tests.training.planted import PHRASES, WORDS


def document(*segments, topics=(0.5, 0.5)):
    """A document of segments ``(text, probability)``, separated by commas."""
    text, starts, ends, words, last, probabilities = "", [], [], [], [], []
    for phrase, probability in segments:
        own = phrase.split()
        for number, word in enumerate(own):
            starts.append(len(text))
            text += word
            ends.append(len(text))
            words.append(word.lower())
            last.append(number == len(own) - 1)
            probabilities.append(probability if number == 0 else 0.0)
            text += " " if not last[-1] else ", "
    return SegmentedDocument(
        text=text,
        starts=np.array(starts, dtype=np.int64),
        ends=np.array(ends, dtype=np.int64),
        words=tuple(words),
        segment_ends=np.array(last, dtype=bool),
        boundaries=np.array(last, dtype=np.float64),
        probabilities=np.array(probabilities),
        topics=np.array(topics),
        marked=True,
    )


class Alike(dict):
    """Every word is as particular as any other."""

    def __missing__(self, word):
        return 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Language Model", "language models"),
        ("phrase-based model", "Phrase based models"),
        ("trade policy", "trade policies"),
        ("big boss", "big bosses"),
        ("cost\n basis", "cost basis"),
    ],
)
def test_spellings_of_one_phrase(one, other):
    assert spelling_key(one) == spelling_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("natural gas", "natural ga"), ("big bus", "big bu"), ("a b", "b a")]
)
def test_other_phrases(one, other):
    assert spelling_key(one) != spelling_key(other)


def test_spellings_count_together_and_every_occurrence_has_its_place():
    found = document(
        ("Language Models", 0.9), ("other thing", 0.95), ("language model", 0.6), ("word", 1.0)
    )
    first, second = key_phrases(found, Alike())
    assert (first.text, second.text) == ("Language Models", "other thing")
    assert first.score == pytest.approx(1.5)
    places = [found.text[one.start : one.end] for one in first.occurrences]
    assert places == ["Language Models", "language model"]
    assert json.loads(json.dumps(first.to_dict()))["occurrences"][1]["start"] == 30


def test_parts_of_better_phrases_and_wholes_of_them_are_left_out():
    found = document(
        ("language model", 0.9),
        ("language models", 0.9),
        ("large language model", 0.9),
        ("large data", 0.5),
        ("model", 1.0),
    )
    assert [phrase.text for phrase in key_phrases(found, Alike())] == [
        "language model",
        "large data",
    ]


def test_rare_words_make_key_phrases():
    found = document(("other thing", 0.9), ("llama farm", 0.9))
    values = {"other": 0.1, "thing": 0.2, "llama": 5.0, "farm": 3.0}
    assert [phrase.text for phrase in key_phrases(found, values, 1)] == ["llama farm"]


WORD = st.sampled_from(["bank", "banks", "Bank", "state", "new", "x-ray"])
SEGMENT = st.tuples(st.lists(WORD, min_size=1, max_size=3).map(" ".join), st.floats(0.01, 1))


@given(st.lists(SEGMENT, max_size=12), st.integers(1, 5))
def test_key_phrases_are_ranked_not_nested_and_in_their_places(segments, n):
    found = document(*segments)
    ranked = key_phrases(found, Alike(), n)
    assert len(ranked) <= n
    scores = [phrase.score for phrase in ranked]
    assert scores == sorted(scores, reverse=True)
    keys = [spelling_key(phrase.text) for phrase in ranked]
    assert not any(is_part_of(a, b) for a in keys for b in keys if a is not b)
    for key, phrase in zip(keys, ranked, strict=True):
        assert all(spelling_key(one.text) == key for one in phrase.occurrences)
    several = {spelling_key(one.text) for one in found.phrases}
    assert bool(ranked) == bool(several)


@given(st.lists(st.lists(SEGMENT, max_size=8), max_size=5), st.integers(1, 3))
def test_the_dictionary_counts_one_by_one(texts, min_count):
    documents = [document(*segments, topics=(0.3, 0.7)) for segments in texts]
    entries = phrase_dictionary(((str(n), d) for n, d in enumerate(documents)), min_count)
    places = [
        (number, spelling_key(phrase.text))
        for number, one in enumerate(documents)
        for phrase in one.phrases
    ]
    keys = {key for _, key in places}
    expected = {
        key: (sum(k == key for _, k in places), len({n for n, k in places if k == key}))
        for key in keys
    }
    found = {spelling_key(entry.text): (entry.count, entry.n_documents) for entry in entries}
    assert found == {key: counts for key, counts in expected.items() if counts[0] >= min_count}
    for entry in entries:
        assert (entry.topic, entry.topic_share) == (1, pytest.approx(0.7))
        for example in entry.examples:
            text = documents[int(example.document)].text
            assert spelling_key(text[example.start : example.end]) == spelling_key(entry.text)


def test_rarity_is_larger_for_words_in_fewer_documents(trained):
    rarity = word_rarity(trained.vocabulary, 135)
    counts = dict(zip(trained.vocabulary.words, trained.vocabulary.document_counts, strict=True))
    common, rare = max(counts, key=counts.get), min(counts, key=counts.get)
    assert rarity[rare] > rarity[common] >= 0


def test_planted_phrases_are_key_phrases_of_new_documents(trained):
    first, second = (" ".join(PHRASES[0][number]) for number in (2, 0))
    words = WORDS[0]
    text = f"{words[0]} {first}, {words[1]} {second}. {words[2]} {first.title()}, {words[3]}"
    ranked, nothing = KeyPhraseFinder.of(trained).find([text, "unknown"], 5)
    assert [phrase.text for phrase in ranked] == [first, second]
    assert len(ranked[0].occurrences) == 2
    assert nothing == []


def shown(capsys, *arguments):
    capsys.readouterr()
    assert main(["phrases", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_the_command(trained, tmp_path, capsys):
    phrase = " ".join(PHRASES[0][0])
    path = tmp_path / "new.jsonl"
    path.write_text(json.dumps({"id": "a", "text": f"{WORDS[0][0]} {phrase}, {phrase}"}) + "\n")
    listed = json.loads(shown(capsys, trained.folder, path, "--json"))
    ((found,),) = (one["phrases"] for one in listed["documents"])
    assert (found["text"], len(found["occurrences"])) == (phrase, 2)
    assert phrase in shown(capsys, trained.folder, path)
    (entry,) = json.loads(shown(capsys, trained.folder, path, "--dictionary", "--json"))["phrases"]
    assert (entry["text"], entry["count"], entry["n_documents"]) == (phrase, 2, 1)


def test_the_dictionary_of_a_run(trained, capsys):
    entries = json.loads(shown(capsys, trained.folder, "--dictionary", "--json"))["phrases"]
    planted = {" ".join(phrase) for topic in PHRASES for phrase in topic}
    assert {entry["text"] for entry in entries[:9]} == planted
    assert "phrases that stand 3 times" in shown(
        capsys, trained.folder, "--dictionary", "--min-count", "3"
    )


def test_settings_are_checked(trained, capsys):
    assert main(["phrases", str(trained.folder), "x.txt", "--top", "0"]) == 2
    assert "top is 0, but must be at least 1" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["phrases"], ["segment", "--phrases", "marked"]])
def test_a_run_without_a_grammar_says_what_it_lacks(trained, tmp_path, capsys, command):
    source = tmp_path / "new.txt"
    source.write_text(" ".join(PHRASES[0][0]))
    assert main([command[0], str(trained.folder), str(source), *command[1:]]) == 0
    (line,) = capsys.readouterr().err.splitlines()[:1]
    assert "has no phrase grammar" in line
    assert "train it again" in line
