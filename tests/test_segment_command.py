"""``segtopic segment`` as a user types it, on a run that knows planted phrases."""

import csv
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from segtopic.cli import main
from segtopic.segment import segmenter
from tests.training.planted import PHRASES, WORDS, planted_texts, small
from tests.training.runs import planted_run, train_small

ROOT = Path(__file__).parents[1]
A, B, C, D = WORDS[0][:4]
PHRASE = " ".join(PHRASES[0][0])


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    return str(planted_run(tmp_path_factory.mktemp("segment"), epochs=8, refine_steps=4).folder)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """300 documents, enough for several batches."""
    path = tmp_path_factory.mktemp("many") / "many.jsonl"
    texts, _ = planted_texts(300, seed=3)
    lines = [json.dumps({"id": f"d{n}", "text": text}) for n, text in enumerate(texts)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "new.jsonl"
    texts = {
        "first": f"{A} {PHRASE.upper()}, {B}!\n{C} =1 <b>",
        "=evil": "only unknown words",
        "empty": "",
        "last": f"{D}; {PHRASE} {A} {B} {C} {D}",
    }
    path.write_text("".join(json.dumps({"id": k, "text": v}) + "\n" for k, v in texts.items()))
    return path


def texts_of(path):
    return {row["id"]: row["text"] for row in map(json.loads, path.read_text().splitlines())}


def segment(capsys, *arguments):
    capsys.readouterr()
    assert main(["segment", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def refused(capsys, *arguments):
    capsys.readouterr()
    assert main(["segment", *map(str, arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def rows_of(output):
    return [json.loads(line) for line in output.splitlines()]


def test_json_lines_rebuild_ids_order_and_text(run_folder, source, capsys):
    rows = rows_of(segment(capsys, run_folder, source, "--format", "jsonl"))
    assert {row["id"]: row["text"] for row in rows} == texts_of(source)
    assert [row["id"] for row in rows] == list(texts_of(source))
    for row in rows:
        place, rebuilt = 0, ""
        for found in row["segments"]:
            rebuilt += row["text"][place : found["start"]] + found["text"]
            place = found["end"]
        assert rebuilt + row["text"][place:] == row["text"]
        assert sum(row["topics"]) == pytest.approx(1, abs=1e-3)
    assert PHRASE.upper() in [found["text"] for found in rows[0]["segments"]]
    assert rows == rows_of(segment(capsys, run_folder, source, "--json"))


def test_text_shows_brackets_under_the_ids(run_folder, source, capsys):
    shown = segment(capsys, run_folder, source)
    assert re.findall(r"^== (.*) ==$", shown, re.M) == list(texts_of(source))
    assert f"[{A}] [{PHRASE.upper()}], [{B}]!\n[{C}] =1 <b>" in shown


def test_a_single_text_needs_no_heading(run_folder, tmp_path, capsys):
    (tmp_path / "one.txt").write_text(f"{PHRASE}, {A}\n")
    assert segment(capsys, run_folder, tmp_path / "one.txt") == f"[{PHRASE}], [{A}]\n"


def test_csv_has_a_row_for_each_phrase(run_folder, source, capsys):
    content = segment(capsys, run_folder, source, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(content)))
    assert list(dict.fromkeys(row["id"] for row in rows)) == ["first", "'=evil", "empty", "last"]
    texts = texts_of(source)
    for row in rows:
        if row["text"]:
            assert texts[row["id"]][int(row["start"]) : int(row["end"])] == row["text"]
    assert [row["text"] for row in rows if row["id"] in ("'=evil", "empty")] == ["", ""]


def test_gensim_has_a_line_of_tokens_for_each_document(run_folder, source, capsys):
    lines = segment(capsys, run_folder, source, "--format", "gensim").splitlines()
    assert lines[0].split() == [A, PHRASE.replace(" ", "_"), B, C]
    assert lines[1:3] == ["", ""]
    assert len(lines) == 4


def test_html_escapes_the_text(run_folder, source, capsys):
    page = segment(capsys, run_folder, source, "--format", "html")
    assert "=1 &lt;b&gt;" in page
    assert "<b>" not in page
    assert page.count("<article>") == 4
    assert page.endswith("</html>\n")


def test_the_best_few_come_in_order(run_folder, source, capsys):
    plain = rows_of(segment(capsys, run_folder, source, "--json"))
    rows = rows_of(segment(capsys, run_folder, source, "--json", "--k-best", 3))
    for row, best in zip(rows, plain, strict=True):
        assert row["segments"] == best["segments"]
        ways = row.get("alternatives", [row])
        values = [way["log_probability"] for way in ways]
        assert values == sorted(values, reverse=True)
        assert len({json.dumps(way["segments"]) for way in ways}) == len(ways)
    assert len(rows[0]["alternatives"]) == 3
    assert "alternatives" not in rows[2]  # nothing can be cut in two ways


def test_samples_depend_on_the_seed_only(run_folder, many, capsys):
    def drawn(seed):
        options = ("--json", "--sample", 9, "--seed", seed, "--no-refine", "--limit", 20)
        return segment(capsys, run_folder, many, *options)

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert len(rows_of(drawn(1))[0]["alternatives"]) == 9


def test_unsure_phrases_fall_apart(run_folder, many, capsys):
    def lengths(*options):
        rows = rows_of(segment(capsys, run_folder, many, "--json", "--limit", 40, *options))
        return [(s["words"], s["probability"]) for row in rows for s in row["segments"]]

    everything, sure = lengths(), lengths("--min-probability", 0.95)
    assert any(words > 1 and p < 0.95 for words, p in everything)
    assert all(words == 1 or p >= 0.95 for words, p in sure)
    assert sum(words for words, _ in everything) == sum(words for words, _ in sure)


def test_phrases_of_files_are_joined_and_split(run_folder, source, tmp_path, capsys):
    (tmp_path / "join").write_text(f"# mine\n{C} {D}\n{A} unheard\n")
    (tmp_path / "split").write_text(f"{PHRASE}\n")
    options = ("--join", tmp_path / "join", "--split", tmp_path / "split", "--json")
    assert main(["segment", *map(str, (run_folder, source, *options))]) == 0
    captured = capsys.readouterr()
    assert "1 phrases to join are never one run of known words" in captured.err
    assert f"({A} unheard)" in captured.err
    found = [s["text"] for s in rows_of(captured.out)[3]["segments"]]
    assert f"{C} {D}" in found
    assert PHRASE not in found


def test_without_refinement_the_topics_differ(run_folder, many, capsys):
    refined, plain = (
        rows_of(segment(capsys, run_folder, many, "--json", "--limit", 5, flag))
        for flag in ("--refine", "--no-refine")
    )
    assert all(a["topics"] != b["topics"] for a, b in zip(refined, plain, strict=True))
    assert [row["text"] for row in refined] == [row["text"] for row in plain]


def test_several_sources_one_after_the_other(run_folder, source, tmp_path, capsys):
    (tmp_path / "more.lines").write_text(f"{A} {B}\n\n{C}\n")
    rows = rows_of(segment(capsys, run_folder, source, tmp_path / "more.lines", "--json"))
    assert [row["id"] for row in rows] == [*texts_of(source), "1", "2", "3"]
    limited = rows_of(
        segment(capsys, run_folder, source, tmp_path / "more.lines", "--json", "--limit", 1)
    )
    assert [row["id"] for row in limited] == ["first", "1"]


def test_standard_input(run_folder, monkeypatch, capsys):
    text = io.TextIOWrapper(io.BytesIO(f"{PHRASE}\n{A}\n".encode()))
    monkeypatch.setattr(sys, "stdin", text)
    assert [row["text"] for row in rows_of(segment(capsys, run_folder, "--json"))] == [PHRASE, A]


def test_bad_lines_are_named_or_skipped(run_folder, tmp_path, capsys):
    path = tmp_path / "bad.jsonl"
    path.write_text(f'{{"text": "{A}"}}\n{{broken\n{{"text": "{B}"}}\n')
    assert "line 2 is not JSON" in refused(capsys, run_folder, path, "--out", tmp_path / "out")
    arguments = [run_folder, str(path), "--json", "--on-bad-line", "skip"]
    assert main(["segment", *arguments]) == 0
    captured = capsys.readouterr()
    assert [row["text"] for row in rows_of(captured.out)] == [A, B]
    assert "skipped 1 lines that cannot be read" in captured.err


def test_mistakes(run_folder, source, tmp_path, capsys):
    def says(*arguments):
        return refused(capsys, *arguments)

    assert "is not a run" in says(tmp_path / "nowhere", source)
    assert "there is no such file" in says(run_folder, tmp_path / "nothing.txt")
    assert "did you mean '--k-best'" in says(run_folder, source, "--k-bets", 3)
    assert "exclude each other" in says(run_folder, source, "--k-best", 2, "--sample", 2)
    assert "shows one segmentation" in says(run_folder, source, "--k-best", 2, "--format", "html")
    assert "must be at most 1" in says(run_folder, source, "--min-probability", 2)
    assert "only for the single best" in says(
        run_folder, source, "--min-probability", 0.5, "--k-best", 2
    )
    assert "--resume needs --out" in says(run_folder, source, "--resume")
    assert "cannot be read" in says(run_folder, source, "--join", tmp_path / "none")
    (tmp_path / "long").write_text(f"{A} {B} {C} {D}\n")
    assert "has 4 words" in says(run_folder, source, "--join", tmp_path / "long")
    nowhere = tmp_path / "no" / "folder" / "x"
    assert "there is no such folder; make it first" in says(run_folder, source, "--out", nowhere)
    pipe = tmp_path / "pipe.lines"
    os.mkfifo(pipe)
    assert "is a pipe or a device" in says(run_folder, pipe)


def test_what_is_there_is_not_replaced_unasked(run_folder, source, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    arguments = (run_folder, source, "--format", "jsonl", "--out", out)
    assert segment(capsys, *arguments) == ""
    first = out.read_bytes()
    assert "is there already; pass --overwrite" in refused(capsys, *arguments)
    segment(capsys, *arguments, "--overwrite")
    assert out.read_bytes() == first
    out.rename(tmp_path / "out.jsonl.partial")
    assert "go on with --resume" in refused(capsys, *arguments)
    state = tmp_path / "out.jsonl.partial.json"
    state.write_text("{}")
    assert "is damaged" in refused(capsys, *arguments, "--resume")
    state.write_text(json.dumps({"key": "other", "documents": 1, "bytes": 1}))
    assert "was begun with another model" in refused(capsys, *arguments, "--resume")
    segment(capsys, *arguments, "--overwrite")
    assert out.read_bytes() == first
    assert sorted(os.listdir(tmp_path)) == ["new.jsonl", "out.jsonl"]


@pytest.mark.parametrize(
    ("form", "error"),
    [("jsonl", KeyboardInterrupt), ("html", OSError(28, "No space left on device"))],
)
def test_stopped_anywhere_and_resumed_is_the_same(
    run_folder, many, tmp_path, capsys, monkeypatch, form, error
):
    """Every attempt stops in the middle of a later write, with half of it on the disk."""
    monkeypatch.setattr(segmenter, "BATCH_DOCUMENTS", 64)
    options = (run_folder, many, "--format", form, *(("--sample", 2) if form != "html" else ()))
    segment(capsys, *options, "--out", tmp_path / "whole")
    expected = 130 if error is KeyboardInterrupt else 2
    writes_left = 0

    class Stopping(io.FileIO):
        def write(self, data):
            nonlocal writes_left
            writes_left -= 1
            if writes_left < 0:
                super().write(data[: len(data) // 2])
                raise error
            return super().write(data)

    out = tmp_path / "out"
    real_open = Path.open
    with monkeypatch.context() as patch:
        patch.setattr(
            Path,
            "open",
            lambda path, mode="r", *rest, **more: (
                Stopping(path, mode) if mode == "r+b" else real_open(path, mode, *rest, **more)
            ),
        )
        attempts = 0
        while not out.exists():
            writes_left = 2
            resume = ["--resume"] if attempts else []
            code = main(["segment", *map(str, (*options, "--out", out, *resume))])
            assert code == 0 if out.exists() else code == expected
            attempts += 1
    assert attempts >= 4
    assert out.read_bytes() == (tmp_path / "whole").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["out", "whole"]


SLOWLY = """
import sys, time
from segtopic.cli import main
from segtopic.segment.output import ResumableFile
write = ResumableFile.write
def slowly(self, text):
    write(self, text[: len(text) // 2])
    self._stream.flush()
    time.sleep(0.05)
    write(self, text[len(text) // 2 :])
ResumableFile.write = slowly
sys.exit(main(["segment", *sys.argv[1:]]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_signals_at_random_moments_lose_and_repeat_nothing(
    run_folder, many, tmp_path, capsys, stop
):
    options = ("--format", "jsonl", "--sample", "2")
    segment(capsys, run_folder, many, *options, "--out", tmp_path / "whole")
    out = tmp_path / "out"
    chance = random.Random(int(stop))
    command = [sys.executable, "-c", SLOWLY, run_folder, str(many), *options, "--out", str(out)]
    interrupted = 0
    while not out.exists():
        resume = ["--resume"] if (tmp_path / "out.partial").exists() else []
        process = subprocess.Popen([*command, *resume], cwd=ROOT, stderr=subprocess.DEVNULL)
        if interrupted < 3:
            begun = (tmp_path / "out.partial").stat().st_size if resume else -1
            while process.poll() is None and not _grown(tmp_path / "out.partial", begun):
                time.sleep(0.002)
            time.sleep(chance.uniform(0, 0.12))
            process.send_signal(stop)
            interrupted += 1
        assert process.wait(timeout=900) in (0, 130, -stop)
    assert out.read_bytes() == (tmp_path / "whole").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["out", "whole"]


def _grown(path, begun):
    return path.exists() and path.stat().st_size != begun


def test_the_columns_of_the_training_are_remembered(tmp_path, capsys):
    rows = [{"nr": f"n{n}", "body": text} for n, text in enumerate(planted_texts(60)[0])]
    source = tmp_path / "train.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = {"text_column": "body", "id_column": "nr"}
    run = train_small(small(source, epochs=1, **columns), tmp_path / "run")
    new, other = tmp_path / "new.csv", tmp_path / "other.csv"
    new.write_text(f"nr,body,text\nx1,{PHRASE},no\n")
    other.write_text(f"id,text\ny1,{PHRASE}\n")
    for path, name in ((new, "x1"), (other, "y1")):
        (row,) = rows_of(segment(capsys, run.folder, path, "--format", "jsonl"))
        assert (row["id"], row["text"]) == (name, PHRASE)
        assert main(["phrases", str(run.folder), str(path), "--json"]) == 0
        (found,) = json.loads(capsys.readouterr().out)["documents"]
        assert found["id"] == name
    (row,) = rows_of(segment(capsys, run.folder, new, "--format", "jsonl", "--text-column", "text"))
    assert row["text"] == "no"


def test_a_file_in_place_of_a_run_says_so(tmp_path, run_folder, source, capsys):
    assert "is a file, not the folder of a run; name the run first" in refused(
        capsys, source, run_folder
    )


def test_html_in_new_documents_is_read_as_in_training(tmp_path, run_folder, capsys):
    first, *others = PHRASE.split()
    text = f"{A}<br />{first}&nbsp;{' '.join(others)} &amp; {B}"
    path = tmp_path / "page.jsonl"
    path.write_text(json.dumps({"id": "page", "text": text}) + "\n")
    (row,) = rows_of(segment(capsys, run_folder, path, "--format", "jsonl"))
    assert row["text"] == text
    found = [text[part["start"] : part["end"]] for part in row["segments"]]
    assert found == [A, f"{first}&nbsp;{' '.join(others)}", B]
