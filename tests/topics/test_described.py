"""Topics are described once: the cache tells the same, and only of the run that it belongs to."""

import json
from dataclasses import replace

import pytest

from segtopic.files import content_digest
from segtopic.runs import load_run
from segtopic.topics import describe_topics, described
from segtopic.topics.described import described_topics
from tests.training.runs import planted_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return planted_run(tmp_path_factory.mktemp("described"), epochs=1)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(described, "cache_folder", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def made(monkeypatch):
    """How often topics were really described."""
    calls = []

    def counted(*arguments, **named):
        calls.append(arguments)
        return describe_topics(*arguments, **named)

    monkeypatch.setattr(described, "describe_topics", counted)
    return calls


def without_ties(topics):
    """Words of the same score may stand in any order."""
    return [replace(topic, words=()) for topic in topics]


def test_the_cache_tells_the_same(run, cache, made):
    expected = describe_topics(
        run.model, run.corpus.train, run.vocabulary, 5, 2, n_documents=2, view=run.view
    )
    waited = []
    told = [
        described_topics(trained, 5, 2, n_documents=2, before=lambda: waited.append(True))
        for trained in (run, run, load_run(run.folder))
    ]
    assert told[0] == told[1] == told[2]
    assert without_ties(told[0]) == without_ties(expected)
    assert [len(topic.words) for topic in told[0]] == [5, 5]
    assert len(made) == len(waited) == 1


def test_what_is_damaged_is_made_again(run, cache, made):
    first = described_topics(run)
    (path,) = (cache / "topics").iterdir()
    stored = json.loads(path.read_bytes())
    stored["topics"][0]["label"] = 7
    wrong_type = {**stored, "digest": content_digest(stored["topics"])}
    damages = [
        b"",
        b"[]",
        b"{}",
        path.read_bytes().replace(b"share", b"shore", 1),
        json.dumps(wrong_type).encode(),
    ]
    for content in damages:
        path.write_bytes(content)
        assert described_topics(run) == first
    assert len(made) == 1 + len(damages)


def test_names_merging_and_wishes_have_their_own(run, cache, made):
    described_topics(run)
    named = replace(run, naming=replace(run.naming, names={1: "One"}))
    assert "One" in {topic.label for topic in described_topics(named)}
    merged = replace(run, naming=replace(run.naming, merged=((0, 2),)))
    assert len(described_topics(merged)) == run.model.n_topics - 1
    described_topics(run, rank="probability")
    assert len(made) == 4


def test_without_a_folder_or_a_cache_it_works_as_well(run, tmp_path, monkeypatch, made):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr(described, "cache_folder", lambda: blocked)
    first = described_topics(run)
    assert without_ties(described_topics(replace(run, folder=None))) == without_ties(first)
    assert described_topics(run, n_phrases=100)[0].phrases[:8] == first[0].phrases
    assert len(made) == 3
