"""The contestants for content phrases, on a text whose content phrases are the planted ones."""

import json
from functools import partial

import pytest

from segtopic.cli import main
from segtopic.evaluate import judge_content as judging
from segtopic.evaluate.chunked import ChunkedText
from segtopic.evaluate.content import ContentText
from tests.training.planted import PHRASES, WORDS, planted_texts
from tests.training.runs import planted_run


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return planted_run(tmp_path_factory.mktemp("content"), epochs=20, refine_steps=2)


def chunked_lines():
    """Sentences 'the word PHRASE word', with the phrase a noun chunk.

    The words around it never stood beside it in the training text: with 60 words a topic, some of
    them meet by chance often enough to be taken for longer phrases.
    """
    learned = " ".join(planted_texts()[0])
    lines = []
    for topic, phrases in enumerate(PHRASES):
        for phrase in phrases:
            words = WORDS[topic]
            before = next(word for word in words if f"{word} {phrase[0]}" not in learned)
            after = next(word for word in words if f"{phrase[-1]} {word}" not in learned)
            lines += ["the DT B-NP", f"{before} VB B-VP"]
            lines += [f"{word} NN {'I' if n else 'B'}-NP" for n, word in enumerate(phrase)]
            lines += [f"{after} VB B-VP", ""]
    return lines


def test_the_run_finds_planted_phrases_and_the_rule_does_not(trained):
    gold = ContentText.of(ChunkedText.parse(chunked_lines(), "here"))
    assert len(gold.phrases) == 9
    grid = [setting for setting in judging.PHRASES_GRID if setting.threshold in (0.1, 30.0)]
    judged = judging.judge_content(trained, gold, gold, grid=grid)
    found = {one.name: one.agreement for one in judged}
    assert found["segtopic, marked phrases"].exact.f1 == 1
    assert found["segtopic, marked phrases"].crossed == 0
    # Every run of words has a word before its phrase and one after it.
    assert found["stop-word-free runs of 2 to 4 words"].exact.both == 0
    (gensim,) = (one for name, one in found.items() if name.startswith("gensim"))
    assert gensim.exact.f1 > 0.5  # of settings of which the worst joins nothing


def test_the_command_judges_a_file(trained, tmp_path, capsys, monkeypatch):
    one_setting = partial(judging.judge_content, grid=judging.PHRASES_GRID[:1])
    monkeypatch.setattr(judging, "judge_content", one_setting)
    path = tmp_path / "gold.txt"
    path.write_text("\n".join(chunked_lines()))
    arguments = ["evaluate", str(trained.folder), "--gold", str(path), "--kind", "content"]
    assert main([*arguments, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["part"], shown["phrases"]) == ("train", 9)
    marked = {"precision": 1, "recall": 1, "f1": 1, "found": 9, "inside": 1, "reached": 1}
    assert shown["ways"][-2] == {"name": "segtopic, marked phrases", **marked, "crossed": 0}
    assert main([*arguments, "--part", "test"]) == 0
    assert "(test): 9 content phrases" in capsys.readouterr().out
