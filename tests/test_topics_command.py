"""``segtopic topics`` as a user types it, on a small corpus."""

import csv
import io
import json
import sys
import warnings

import pytest

from segtopic.cli import main
from segtopic.commands.train import train
from segtopic.config import TrainerConfig
from segtopic.topics import Term, Topic
from segtopic.training.system import Collapse
from tests.training.planted import planted_file, small


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("topics")
    out = folder / "run"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Collapse)
        train(small(planted_file(folder), topics="lda", epochs=2), out, TrainerConfig(threads=1))
    return str(out)


def printed(capsys, *arguments):
    capsys.readouterr()
    assert main(["topics", *arguments]) == 0
    return capsys.readouterr().out


def test_the_table_has_phrases_words_and_documents(run_folder, capsys):
    shown = printed(capsys, run_folder, "--n-topics", "2", "--n-phrases", "4")
    assert shown.count("of the corpus)") == 2
    assert "probability" in shown
    assert "diversity of the words of all 3 topics" in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_json_is_one_object(run_folder, capsys):
    found = json.loads(printed(capsys, run_folder, "--json", "--n-documents", "2"))
    assert found["n_topics"] == len(found["topics"]) == 3
    for topic in found["topics"]:
        assert {"number", "label", "share", "phrases", "words", "documents"} <= topic.keys()
        assert all(phrase["count"] >= 0 for phrase in topic["phrases"])
        assert len(topic["documents"]) == 2
        assert topic["documents"][0]["begins"]
    assert found == json.loads(
        printed(capsys, run_folder, "--format", "json", "--n-documents", "2")
    )


def test_csv_goes_to_a_file(run_folder, tmp_path, capsys):
    out = tmp_path / "topics.csv"
    arguments = (run_folder, "--format", "csv", "--out", str(out), "--min-words", "2")
    assert printed(capsys, *arguments) == ""
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    phrases = [row for row in rows if row["kind"] == "phrase"]
    assert {row["topic"] for row in rows} == {"0", "1", "2"}
    assert phrases
    assert all(" " in row["text"] for row in phrases)


def test_phrases_that_the_text_does_not_hold_are_marked(run_folder, capsys, monkeypatch):
    phrases = (Term("made up", 0.1, 2.0, 0), Term("real", 0.1, 2.0, 1_234))
    topic = Topic(0, "made up, real", 0.5, phrases, (), ())
    monkeypatch.setattr("segtopic.topics.described.described_topics", lambda *_, **__: [topic])
    lines = printed(capsys, run_folder).splitlines()
    assert "  made up *  10.000%      2.0   0" in lines
    assert "  real       10.000%      2.0   1,234" in lines
    assert "* never stands in the training text" in lines


def test_coherence_stands_beside_lda(run_folder, capsys):
    found = json.loads(printed(capsys, run_folder, "--json", "--coherence"))
    names = [row["name"] for row in found["coherence"]]
    assert names[0] == "segtopic"
    assert {name.split(",")[1].strip() for name in names[1:]} == {"gensim", "tomotopy"}
    own = found["coherence"][0]
    assert own["npmi"] == pytest.approx(sum(topic["npmi"] for topic in found["topics"]) / 3)
    assert own["diversity"] == found["diversity"]


def test_definitions_are_compared(run_folder, capsys):
    found = json.loads(printed(capsys, run_folder, "--compare-definitions", "--json"))
    names = [row["name"] for row in found["definitions"]]
    assert names == ["corner", "peak", "direction", "documents"]
    assert "definition" in printed(capsys, run_folder, "--compare-definitions")


def test_input_for_pyldavis_needs_no_pyldavis(run_folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyLDAvis", None)
    path = tmp_path / "topics.json"
    printed(capsys, run_folder, "--pyldavis", str(path), "--n-topics", "1")
    assert len(json.loads(path.read_text())["topic_term_dists"]) == 3
    page = tmp_path / "topics.html"
    assert main(["topics", run_folder, "--pyldavis", str(page)]) == 2
    assert "pip install segtopic[pyldavis]" in capsys.readouterr().err
    assert not page.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--n-topics", "0"], "--n-topics is 0, but must be at least 1"),
        (["--n-phrases", "0"], "--n-phrases is 0, but must be at least 1"),
        (["--min-words", "9"], "the run's phrases have at most 3"),
        (["--rank", "lifts"], "'lifts' is not one of relevance, divergence, probability, lift"),
        (["--format", "xml"], "'xml' is not one of table, json, csv"),
        (["--definition", "middle"], "'middle' is not one of corner, peak, direction, documents"),
        (["--pyldavis", "x.txt"], "must end in .html or .json"),
        (["--compare-definitions", "--format", "csv"], "makes no CSV"),
        (["--out", "nowhere/x.json", "--json"], "nowhere/x.json: cannot be written"),
    ],
)
def test_mistakes_are_one_sentence(run_folder, arguments, message, capsys):
    capsys.readouterr()
    assert main(["topics", run_folder, *arguments]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_a_folder_that_is_no_run(capsys):
    assert main(["topics", "nowhere"]) == 2
    assert "nowhere: is not a run (no config.yaml)" in capsys.readouterr().err
