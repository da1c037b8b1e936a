"""decode, align and evaluate, as they are typed; and what hostile files do to them."""

import io
import json
import math
import pickle
import shutil
import subprocess
import sys
import threading

import pytest

from segtopic.cli import main
from segtopic.commands.swan import COMMANDS
from segtopic.errors import SegtopicError
from segtopic.runs.folder import SEQUENCES
from segtopic.runs.seal import sealed
from segtopic.swan.predictor import AT_ONCE
from segtopic.swan.run import train
from segtopic.swan.trained import load_swan
from tests.faults.commands import refused
from tests.hostile.conftest import Payload
from tests.swan.planted import pairs_file, spoken, tiny_config, words


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    return train(tiny_config(pairs_file(folder), epochs=5), folder / "run").folder


@pytest.fixture
def swan(run, capsys):
    """A command on the run; its output as lines."""

    def call(command, *arguments):
        assert main(["swan", command, str(run), *map(str, arguments)]) == 0
        return capsys.readouterr().out.splitlines()

    return call


class Typed:
    """A standard input that hands out some bytes a time, and notes what was said before each."""

    def __init__(self, parts, said):
        self.parts, self.said, self.heard = iter(parts), said, []
        self.buffer = self

    def read1(self, size):
        self.heard.append(self.said.getvalue())
        return next(self.parts)

    def read(self, size):
        raise AssertionError("a read waits until there is so much, or the end")


def written(folder, text, name="file.txt"):
    path = folder / name
    path.write_text(text)
    return path


def test_help_lists_the_commands(capsys):
    assert main(["swan"]) == 0
    assert main(["swan", "--help"]) == 0
    shown = capsys.readouterr().out
    assert all(command in shown for command in COMMANDS)
    assert "unknown command 'swan dekode'; did you mean 'decode'?" in refused(
        ["swan", "dekode"], capsys
    )


class TestDecode:
    def test_lines_keep_their_order_over_many_batches(self, swan, tmp_path):
        inputs = words((4, 3, 2)) * 2
        assert len(inputs) > 2 * AT_ONCE
        lines = swan("decode", written(tmp_path, "\n".join(inputs) + "\n"))
        columns = [line.split("\t") for line in lines]
        assert [column[0] for column in columns] == inputs
        assert [column[1].split() for column in columns] == [spoken(word) for word in inputs]
        assert all(0 < float(column[2]) <= 1 for column in columns)

    def test_neighbours_do_not_matter(self, swan, tmp_path):
        alone = swan("decode", written(tmp_path, "XDX\n"), "--json")
        among = swan("decode", written(tmp_path, "B\nXDX\nABABAB\nDD\n"), "--json")
        one, other = json.loads(alone[0]), json.loads(among[1])
        assert one["input"] == other["input"] == list("XDX")
        for first, second in zip(one["outputs"], other["outputs"], strict=True):
            assert first["symbols"] == second["symbols"]
            assert first["probability"] == pytest.approx(second["probability"], abs=1e-9)

    def test_n_best_and_merging(self, swan, tmp_path):
        path = written(tmp_path, "XD\n")
        lines = swan("decode", path, "--n-best", 3, "--beam", 6)
        assert len(lines) == 3
        chances = [float(line.split("\t")[2]) for line in lines]
        assert chances == sorted(chances, reverse=True)
        (merged,) = (json.loads(line) for line in swan("decode", path, "--format", "jsonl"))
        (apart,) = (json.loads(line) for line in swan("decode", path, "--json", "--no-merge"))
        assert apart["outputs"][0]["probability"] <= merged["outputs"][0]["probability"]

    def test_standard_input(self, swan, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfBB\r\nXA\r\n")))
        assert [line.split("\t")[1] for line in swan("decode", "-")] == ["b b", "k s"]

    def test_answers_come_before_the_next_line_is_read(self, run):
        """As a person or a program sees it that asks one word after the other."""
        command = [sys.executable, "-m", "segtopic", "swan", "decode", str(run), "-"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, text=True, **pipes) as process:
            watchdog = threading.Timer(300, process.kill)  # so that a failure does not wait forever
            watchdog.start()
            for asked, answer in (("BB", "b b"), ("XA", "k s"), ("DX", "t k s")):
                process.stdin.write(asked + "\n")
                process.stdin.flush()
                assert process.stdout.readline().split("\t")[:2] == [asked, answer]
            process.stdin.close()
            assert process.stdout.read() == ""
            assert process.wait() == 0
            watchdog.cancel()

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("BB\nBQ\n", "line 2 has the symbol 'Q', which was in no training input"),
            ("BB\n\nBB\n", "line 2 is empty"),
        ],
    )
    def test_bad_lines(self, run, swan, tmp_path, capsys, text, message):
        path = written(tmp_path, text)
        assert main(["swan", "decode", str(run), str(path)]) == 2
        assert message in capsys.readouterr().err
        assert len(swan("decode", path, "--on-bad-line", "skip")) == text.count("BB")

    def test_impossible_wishes(self, run, tmp_path, capsys):
        path = written(tmp_path, "BB\n")
        for more, message in (
            (["--n-best", "9"], "n_best is 9, but a beam of 5 keeps no more"),
            (["--beam", "0"], "beam is 0"),
            (["--format", "csv"], "--format"),
        ):
            assert message in refused(["swan", "decode", run, path, *more], capsys)
        assert "cannot be read" in refused(["swan", "decode", run, tmp_path / "none"], capsys)
        assert "is a folder" in refused(["swan", "decode", run, tmp_path], capsys)


class TestAlign:
    def test_in_one_line(self, swan, tmp_path):
        path = written(tmp_path, "XADB\tk s t b\nAB\tb\tb\n")
        assert swan("align", path) == ["X:k+s A:_ D:t B:b", "A:_ B:b", "A:_ B:b"]

    def test_json(self, swan, tmp_path):
        (line,) = swan("align", written(tmp_path, "AX\tk s\n"), "--json")
        found = json.loads(line)
        assert [(each["input"], each["outputs"]) for each in found["segments"]] == [
            ("A", []),
            ("X", ["k", "s"]),
        ]
        assert 0 < found["probability"] <= 1
        for each in found["segments"]:  # a path is no more probable than any of its links
            assert found["probability"] <= each["probability"] * (1 + 1e-9)
            assert each["probability"] <= 1 + 1e-9
        assert found["log_likelihood"] <= 0

    def test_answers_come_before_the_next_line_is_read(self, swan, monkeypatch):
        said = io.StringIO()
        monkeypatch.setattr(sys, "stdin", Typed([b"XA\tk s\nAB", b"\tb\n", b"BB\tb b\n"], said))
        monkeypatch.setattr(sys, "stdout", said)
        said.reconfigure = lambda **_: None
        swan("align", "-", "--limit", 3)
        assert sys.stdin.heard == ["", "X:k+s A:_\n", "X:k+s A:_\nA:_ B:b\n"]

    def test_what_cannot_be_said(self, run, swan, tmp_path, capsys):
        path = written(tmp_path, "A\tb b b b\nB\tq\nB\tb\n")
        assert main(["swan", "align", str(run), str(path)]) == 2
        assert "line 1 has 4 outputs, but its 1 inputs emit at most 3 each" in (
            capsys.readouterr().err
        )
        assert swan("align", path, "--on-bad-line", "skip") == ["B:b"]


class TestEvaluate:
    def test_any_reference_is_right(self, swan, tmp_path):
        rows = [(word, " ".join(spoken(word))) for word in words((3,))]
        text = "".join(f"{word}\tq q\t{sounds}\n" for word, sounds in rows[1:])
        path = written(tmp_path, text + f"{rows[0][0]}\tq\n")
        found = json.loads("\n".join(swan("evaluate", path, "--json")))
        assert found["inputs"] == len(rows)
        assert found["pairs"] == 2 * len(rows) - 1
        assert found["impossible_pairs"] == len(rows)
        assert found["words_wrong"]["mean"] == pytest.approx(1 / len(rows))
        assert found["words_wrong"]["low"] <= 1 / len(rows) <= found["words_wrong"]["high"]
        assert found["nats_per_symbol"] < 0.2
        assert 1 < found["segment_length"] < 2

    def test_a_table_and_the_development_pairs(self, run, swan):
        lines = swan("evaluate")
        assert "development pairs, beam 5" in lines[0]
        assert any("words wrong" in line and "0.00%  [0.00%, 0.00%]" in line for line in lines)
        found = json.loads("\n".join(swan("evaluate", "--json", "--beam", 1)))
        assert found["inputs"] == len(load_swan(run).development)
        assert found["beam"] == 1

    def test_nothing_that_can_be_said(self, swan, tmp_path):
        found = json.loads("\n".join(swan("evaluate", written(tmp_path, "AB\tq\n"), "--json")))
        assert found["words_wrong"]["mean"] == 1
        assert found["nats_per_symbol"] is None

    def test_the_likelihood_is_the_models(self, run, swan, tmp_path):
        path = written(tmp_path, "XADB\tk s t b\nAB\tb\n")
        found = json.loads("\n".join(swan("evaluate", path, "--json")))
        aligned = [json.loads(line)["log_likelihood"] for line in swan("align", path, "--json")]
        assert found["nats_per_symbol"] == pytest.approx(-math.fsum(aligned) / (4 + 1 + 1 + 1))


class TestHostile:
    @pytest.fixture
    def open_copy(self, run, tmp_path):
        """A copy whose seal names no file, so that its files can be changed."""
        folder = shutil.copytree(run, tmp_path / "run")
        results = json.loads((folder / "run.json").read_text())
        (folder / "run.json").write_text(sealed(results, folder, [], SEQUENCES))
        return folder

    @pytest.mark.parametrize(
        "name",
        ["config.yaml", "symbols.json", "development.jsonl", "model.safetensors", "run.json"],
    )
    def test_a_pickle_in_place_of_a_file(self, open_copy, tmp_path, capsys, name):
        mark = tmp_path / "pwned"
        (open_copy / name).write_bytes(pickle.dumps(Payload(mark)))
        for command in ("decode", "align", "evaluate", "report"):
            assert name in refused(["swan", command, open_copy], capsys)
        assert not mark.exists()

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("symbols.json", "[" * 5000),
            ("symbols.json", '{"inputs": [], "outputs": ["b"]}'),
            ("symbols.json", '{"inputs": ["A", "A"], "outputs": ["b"]}'),
            ("symbols.json", '{"inputs": ["A", 3], "outputs": ["b"]}'),
            ("symbols.json", '{"inputs": ["A"], "outputs": ["b"]}'),  # of another size
            ("development.jsonl", '{"inputs": "A"}\n'),
            ("development.jsonl", "[]\n"),
            ("config.yaml", "units: 1000000000000\ndata: x\n"),
            ("config.yaml", "data: !!python/name:os.system ''\n"),
            ("run.json", '{"format_version": 99, "format": "segtopic-swan-run"}'),
            ("run.json", sealed({"epochs": "<b>"}, None, [], SEQUENCES)),
        ],
    )
    def test_files_made_to_confuse(self, open_copy, capsys, name, content):
        (open_copy / name).write_text(content)
        assert len(refused(["swan", "evaluate", open_copy], capsys)) < 1000
        with pytest.raises(SegtopicError):
            load_swan(open_copy)

    def test_symbols_do_not_move_the_cursor(self, tmp_path, capsys):
        path = written(tmp_path, "\x1b[2J\tx\u202ey z\n" * 1 + "AB\tx z\n\x1bA\tz\n", "pairs.tsv")
        folder = tmp_path / "run"
        train(tiny_config(path, epochs=1), folder)
        for command in ("decode", "align"):
            capsys.readouterr()
            assert main(["swan", command, str(folder), str(path), "--on-bad-line", "skip"]) == 0
            printed = capsys.readouterr()
            assert not {"\x1b", "\u202e"} & set(printed.out + printed.err)
