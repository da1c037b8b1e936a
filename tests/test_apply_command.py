"""``segtopic apply`` as a user types it, on a run that knows planted topics and phrases."""

import csv
import io
import json
import sys

import pyarrow.parquet as pq
import pytest

from segtopic.cli import main
from segtopic.runs import load_run
from segtopic.segment import KeyPhraseFinder, segmenter
from tests.training.planted import PHRASES, WORDS, planted_texts
from tests.training.runs import planted_run

OWN = ["best_topic", "best_topic_number", "key_phrases", "part"]
PHRASE = " ".join(PHRASES[1][2])


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    return planted_run(tmp_path_factory.mktemp("apply"), epochs=8, refine_steps=4).folder


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "new.jsonl"
    new, _ = planted_texts(3, seed=9)
    rows = [
        {"id": "a", "text": new[0], "year": 2019, "note": "=1+1", "part": "mine", "score": -0.5},
        {"id": "b", "text": new[1], "year": 2020, "note": None, "part": "yours", "score": 2},
        {"id": "=c", "text": "only unknown words", "year": 2021, "note": ["x", 1], "score": None},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def applied(capsys, *arguments):
    capsys.readouterr()
    assert main(["apply", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def refused(capsys, *arguments):
    capsys.readouterr()
    assert main(["apply", *map(str, arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def csv_rows(output):
    return list(csv.DictReader(io.StringIO(output)))


def json_rows(output):
    return [json.loads(line) for line in output.splitlines()]


def names_of(row):
    """The columns of topics: between those of the input and the last ones."""
    return [name for name, value in row.items() if name not in OWN and isinstance(value, float)]


def test_columns_are_id_inputs_topics_and_what_is_best(run_folder, source, capsys):
    header = list(csv_rows(applied(capsys, run_folder, source))[0])
    assert header[:6] == ["id", "text", "year", "note", "part (input)", "score"]
    assert header[9:] == OWN
    assert len(set(header)) == 13


def test_shares_are_those_of_the_segmenter_and_the_best_is_the_largest(run_folder, source, capsys):
    rows = json_rows(applied(capsys, run_folder, source, "--json", "--drop-columns", "score"))
    trained = load_run(run_folder)
    from segtopic.segment import Segmenter

    expected = Segmenter.of(trained).topics([row["text"] for row in rows])
    for row, shares in zip(rows, expected, strict=True):
        names = names_of(row)
        assert [row[name] for name in names] == pytest.approx(shares, abs=1e-6)
        if row["best_topic"] is not None:
            assert row["best_topic"] == names[row["best_topic_number"]]
            assert row[row["best_topic"]] == max(row[name] for name in names)
    assert [row["best_topic"] is None for row in rows] == [False, False, True]


def test_a_spreadsheet_executes_nothing_and_numbers_stay_numbers(run_folder, source, capsys):
    first, _, last = csv_rows(applied(capsys, run_folder, source))
    assert (first["note"], last["id"]) == ("'=1+1", "'=c")
    assert (first["score"], first["year"]) == ("-0.5", "2019")


def test_numbers_of_a_csv_get_no_apostrophe(run_folder, tmp_path, capsys):
    (tmp_path / "new.csv").write_text("text,a,b,c\nx,-0.5,+1e-3,-1+1\n")
    (row,) = csv_rows(applied(capsys, run_folder, tmp_path / "new.csv"))
    assert (row["a"], row["b"], row["c"]) == ("-0.5", "+1e-3", "'-1+1")


def test_key_phrases_are_the_planted_ones(run_folder, tmp_path, capsys):
    text = f"{WORDS[1][0]} {PHRASE}, {WORDS[1][1]}. {PHRASE.title()}; {WORDS[1][2]}"
    (tmp_path / "new.txt").write_text(text)
    (row,) = json_rows(applied(capsys, run_folder, tmp_path / "new.txt", "--json"))
    assert row["key_phrases"][0] == PHRASE
    none = applied(capsys, run_folder, tmp_path / "new.txt", "--json", "--key-phrases", "0")
    assert json_rows(none)[0]["key_phrases"] == []


def test_the_runs_own_documents_know_their_parts(run_folder, capsys):
    rows = json_rows(applied(capsys, run_folder, "--json"))
    corpus = load_run(run_folder).corpus
    parts = {name: corpus.split.part_of(number) for number, name in enumerate(corpus.ids)}
    assert {row["id"]: row["part"] for row in rows} == parts


def test_documents_that_were_trained_on_are_read_without_their_own_counts(run_folder, capsys):
    trained = load_run(run_folder)
    rows = json_rows(applied(capsys, run_folder, "--json"))
    own = next(row for row in rows if row["part"] == "train")
    (found,) = KeyPhraseFinder.of(trained).find([own["text"]], n_phrases=5, trained_on=True)
    assert own["key_phrases"] == [phrase.text for phrase in found]


def test_parquet_holds_the_same_with_types(run_folder, source, tmp_path, capsys):
    out = tmp_path / "topics.parquet"
    applied(capsys, run_folder, source, "--out", out)
    expected = json_rows(applied(capsys, run_folder, source, "--json"))
    table = pq.read_table(out)
    types = dict(zip(table.column_names, map(str, table.schema.types), strict=True))
    assert (types["year"], types["score"], types["note"]) == ("int64", "double", "string")
    assert types["key_phrases"].startswith("list<")
    for row, wanted in zip(table.to_pylist(), expected, strict=True):
        wanted["note"] = json.dumps(wanted["note"]) if wanted["id"] == "=c" else wanted["note"]
        assert row == wanted
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".tmp")] == []


def test_values_of_several_kinds_are_text(run_folder, tmp_path, capsys):
    rows = [{"text": "x", "v": 1}, {"text": "x", "v": "one"}, {"text": "x", "v": 2**70}]
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    applied(capsys, run_folder, tmp_path / "new.jsonl", "--out", tmp_path / "t.parquet")
    assert pq.read_table(tmp_path / "t.parquet")["v"].to_pylist() == ["1", "one", str(2**70)]


def test_an_interrupted_parquet_leaves_nothing(run_folder, source, tmp_path, monkeypatch):
    def fail(*_):
        raise RuntimeError

    monkeypatch.setattr(KeyPhraseFinder, "read_off", fail)
    with pytest.raises(RuntimeError):
        main(["apply", str(run_folder), str(source), "--out", str(tmp_path / "t.parquet")])
    assert {path.name for path in tmp_path.iterdir()} == {"new.jsonl"}


def test_an_interrupted_csv_goes_on_to_the_same_bytes(run_folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(segmenter, "BATCH_DOCUMENTS", 64)
    texts, _ = planted_texts(150, seed=5)
    many = tmp_path / "many.csv"
    with many.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "text", "n")] + [(i, t, i) for i, t in enumerate(texts)])
    whole, cut = tmp_path / "whole.csv", tmp_path / "cut.csv"
    applied(capsys, run_folder, many, "--out", whole)
    real, calls = KeyPhraseFinder.read_off, iter(range(2))  # of three batches

    def stops(*arguments):
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(KeyPhraseFinder, "read_off", stops)
        assert main(["apply", str(run_folder), str(many), "--out", str(cut)]) == 130
    assert not cut.exists()
    applied(capsys, run_folder, many, "--out", cut, "--resume")
    assert cut.read_bytes() == whole.read_bytes()


def test_standard_input_and_several_sources(run_folder, source, tmp_path, capsys, monkeypatch):
    (tmp_path / "more.csv").write_text("text,venue\nx,acl\n")
    stdin = io.TextIOWrapper(io.BytesIO(b"one text\nanother\n"))
    monkeypatch.setattr(sys, "stdin", stdin)
    rows = json_rows(applied(capsys, run_folder, source, tmp_path / "more.csv", "-", "--json"))
    assert [row["id"] for row in rows] == ["a", "b", "=c", "1", "1", "2"]
    assert [row["venue"] for row in rows] == [None, None, None, "acl", None, None]


def test_columns_that_come_late_are_counted(run_folder, tmp_path, capsys):
    (tmp_path / "new.jsonl").write_text('{"text": "x"}\n{"text": "x", "late": 1}\n')
    capsys.readouterr()
    assert main(["apply", str(run_folder), str(tmp_path / "new.jsonl")]) == 0
    assert "('late' 1 times)" in capsys.readouterr().err


def test_what_cannot_be_is_told_in_one_sentence(run_folder, source, tmp_path, capsys):
    assert "no column 'nte'; did you mean 'note'" in refused(
        capsys, run_folder, source, "--drop-columns", "nte"
    )
    assert "cannot tell the format" in refused(capsys, run_folder, source, "--out", "x.xlsx")
    assert "needs --out" in refused(capsys, run_folder, source, "--format", "parquet")
    assert "written as a whole" in refused(
        capsys, run_folder, source, "--out", tmp_path / "t.parquet", "--resume"
    )
    (tmp_path / "t.csv").write_text("mine")
    assert "is there already" in refused(capsys, run_folder, source, "--out", tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "mine"


def test_a_model_without_documents_numbers_its_topics(run_folder, source, tmp_path, capsys):
    load_run(run_folder).save(tmp_path / "bare", documents=False)
    (row, *_) = json_rows(applied(capsys, tmp_path / "bare", source, "--json"))
    assert row["part"] == "new"
    assert {"topic 0", "topic 1", "topic 2"} <= row.keys()
    assert "saved without its documents" in refused(capsys, save_in_memory(tmp_path), "--json")


def save_in_memory(tmp_path):
    from segtopic import SegTopic

    folder = tmp_path / "memory"
    texts, _ = planted_texts(12)
    model = SegTopic(n_topics=2, epochs=1, hidden_size=4, encoder_size=4, random_state=0)
    model.fit(texts).save(folder, documents=False)
    return folder
