"""Finding: planted topics bring their documents together; phrases are those that were planted."""

import io
import json
import sys

import pytest

from segtopic.cli import main
from segtopic.errors import ConfigError
from segtopic.explore.find import Finder
from segtopic.runs import load_run
from tests.training.planted import N_TOPICS, PHRASES, WORDS, planted_texts
from tests.training.runs import planted_run


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    return planted_run(tmp_path_factory.mktemp("find"), epochs=8, refine_steps=4).folder


@pytest.fixture(scope="module")
def finder(run_folder):
    return Finder(load_run(run_folder))


def planted(found):
    """The planted topic of a document: its number in the file, from 1 on."""
    return (int(found.id) - 1) % N_TOPICS


def test_documents_like_one_are_of_its_topic_and_not_itself(finder):
    for document_id in ("1", "2", "3"):
        found = finder.like(document_id, 20)
        assert document_id not in [each.id for each in found]
        assert {planted(each) for each in found} == {(int(document_id) - 1) % N_TOPICS}
        scores = [each.score for each in found]
        assert scores == sorted(scores, reverse=True)
        assert 0 <= min(scores) <= max(scores) <= 1 + 1e-9


def test_a_text_is_most_like_itself(finder):
    texts, _ = planted_texts()
    assert finder.like_text(texts[7], 1)[0].id == "8"


def test_topics_of_a_text_are_those_of_its_documents(finder):
    new, labels = planted_texts(3, seed=4)
    for text, label in zip(new, labels, strict=True):
        best, *_ = topics = finder.topics(text)
        assert sum(topic.share for topic in topics) == pytest.approx(1)
        assert best.share == max(topic.share for topic in topics)
        found = finder.of_topic(best.topic, 10)
        assert {planted(each) for each in found} == {label}
        assert finder.of_topic(best.name.upper(), 10) == found
        assert {each.topic for each in found} == {best.topic}


def test_phrases_are_the_planted_ones(finder):
    texts, _ = planted_texts()
    for topic in range(N_TOPICS):
        phrase = " ".join(PHRASES[topic][2])
        found = finder.phrases(phrase[1:-1].upper())
        assert [each.text for each in found] == [phrase]
        assert found[0].count == sum(text.count(phrase) for text in texts)
        assert found[0].documents == sum(phrase in text for text in texts)
        assert found[0].topic == finder.like("123"[topic], 1)[0].topic


def test_what_follows_is_what_was_planted(finder):
    for topic in range(N_TOPICS):
        *beginning, last = PHRASES[topic][2]
        best, *_ = found = finder.after(" ".join(beginning).upper(), n_words=1)
        assert best.words == (last,)
        assert best.topic == finder.like("123"[topic], 1)[0].topic
        assert [each.begins for each in found] == sorted(
            (each.begins for each in found), reverse=True
        )


def test_letters_that_stand_nowhere_find_nothing(finder):
    assert finder.phrases("no such letters") == []
    word = WORDS[0][0]
    assert word in [each.text for each in finder.phrases(word)]


def test_questions_that_cannot_be_answered(finder):
    with pytest.raises(ConfigError, match="no document 'x'; 'segtopic apply' lists"):
        finder.like("x")
    with pytest.raises(ConfigError, match="no document '1500'; did you mean '150'"):
        finder.like("1500")
    with pytest.raises(ConfigError, match="there is no topic '9'"):
        finder.of_topic(9)
    with pytest.raises(ConfigError, match="no letters"):
        finder.phrases("  ")


def asked(capsys, *arguments):
    capsys.readouterr()
    assert main(["find", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_the_command_says_what_the_finder_says(run_folder, finder, capsys, monkeypatch):
    texts, _ = planted_texts()
    like = json.loads(asked(capsys, run_folder, "--like", "1", "-n", "3", "--json"))
    assert [each["id"] for each in like["documents"]] == [e.id for e in finder.like("1", 3)]
    for each in like["documents"]:
        assert texts[each["number"]].startswith(each["begins"].removesuffix("..."))
    monkeypatch.setattr(sys, "stdin", io.StringIO(texts[0]))
    told = json.loads(asked(capsys, run_folder, "--text", "-", "--json"))
    assert told["documents"][0]["id"] == "1"
    assert [each["topic"] for each in told["topics"]] == [t.topic for t in finder.topics(texts[0])]
    phrase = " ".join(PHRASES[0][0])
    table = asked(capsys, run_folder, "--phrase", phrase)
    assert phrase in table.splitlines()[2]
    assert "largest topic" in asked(capsys, run_folder, "--topic", "1")
    assert ": none" in asked(capsys, run_folder, "--phrase", "qqq")


@pytest.mark.parametrize("question", [[], ["--like", "1", "--topic", "1"], ["--like", "1", "-n0"]])
def test_one_question_is_asked(run_folder, question, capsys):
    capsys.readouterr()
    assert main(["find", str(run_folder), *question]) == 2
    assert capsys.readouterr().err.count("\n") == 1
