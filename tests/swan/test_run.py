"""Pairs to a run folder, and back; interrupted, killed, moved, damaged, mistaken."""

import io
import json
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pytest
from safetensors.torch import load_file

from segtopic.cli import main
from segtopic.commands.swan.epochs import SwanEpochLines
from segtopic.errors import CorpusError, RunError
from segtopic.runs import load_run
from segtopic.swan.run import train
from segtopic.swan.trained import load_swan
from tests.faults.commands import refused
from tests.swan.planted import pairs_file, spoken, tiny_config, train_arguments

FILES = {
    "config.yaml",
    "development.jsonl",
    "metrics.csv",
    "model.safetensors",
    "run.json",
    "symbols.json",
}
EPOCHS = 6
SECONDS = 900  # only what hangs takes so long, on however busy a machine


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return pairs_file(tmp_path_factory.mktemp("pairs"))


@pytest.fixture(scope="module")
def whole(source, tmp_path_factory):
    """A training that nothing disturbs; do not change it."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    return train(tiny_config(source, epochs=EPOCHS), folder, keep_checkpoints=True)


@pytest.fixture
def copy(whole, tmp_path):
    return shutil.copytree(whole.folder, tmp_path / "run")


def weights(folder):
    return (folder / "model.safetensors").read_bytes()


def test_a_run_knows_the_rule_and_its_files(whole):
    assert {path.name for path in whole.folder.iterdir()} == {*FILES, "checkpoints"}
    found = whole.predictor.predict(["XDADB"])
    assert found[0][0].outputs == tuple(spoken("XDADB"))
    assert whole.results["dev_words_wrong"] == 0
    assert whole.results["epochs"] == EPOCHS
    lines = (whole.folder / "metrics.csv").read_text().splitlines()
    assert len(lines) == EPOCHS + 1
    assert set(lines[0].split(",")) >= {"epoch", "train_nats", "dev_nats", "dev_words_wrong"}


def test_a_run_moved_elsewhere_is_the_same(whole, copy, monkeypatch, tmp_path, capsys):
    (tmp_path / "words.txt").write_text("XAD\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert main(["swan", "decode", "../run", "../words.txt"]) == 0
    assert capsys.readouterr().out.startswith("XAD\tk s t\t")
    again = load_swan(copy)
    assert again.results == whole.results
    assert again.development == whole.development
    assert again.predictor.inputs == whole.predictor.inputs


def test_the_same_settings_make_the_same_run(whole, tmp_path):
    again = train(load_swan(whole.folder).config, tmp_path / "again")
    assert weights(again.folder) == weights(whole.folder)


def test_saved_from_python_and_loaded(whole, tmp_path):
    whole.save(tmp_path / "saved")
    assert weights(tmp_path / "saved") == weights(whole.folder)
    assert load_swan(tmp_path / "saved").predictor.predict(["BX"]) == whole.predictor.predict(
        ["BX"]
    )
    with pytest.raises(RunError, match="holds a model already"):
        whole.save(tmp_path / "saved")
    whole.save(tmp_path / "saved", overwrite=True)


def test_a_killed_training_goes_on_to_the_same_bit(source, whole, tmp_path, capsys):
    folder = tmp_path / "run"
    process = subprocess.Popen(
        [sys.executable, "-m", "segtopic", *train_arguments(source, folder, epochs=EPOCHS)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + SECONDS
    while not (folder / "checkpoints" / "last.ckpt").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    process.kill()
    process.wait()
    if not (folder / "run.json").exists():  # it was not faster
        assert "go on with 'segtopic swan train" in refused(["swan", "evaluate", folder], capsys)
        resume = ["--config", str(folder / "config.yaml"), "--out", str(folder), "--resume"]
        assert main(["swan", "train", *resume]) == 0
    assert weights(folder) == weights(whole.folder)


def test_ctrl_c_says_how_to_go_on(source, whole, tmp_path, capsys, monkeypatch):
    folder = tmp_path / "run"
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    told = SwanEpochLines.line

    def interrupted(self, figures, pl_module):
        if pl_module.current_epoch == 2:
            signal.raise_signal(signal.SIGINT)
        return told(self, figures, pl_module)

    with monkeypatch.context() as patch:
        patch.setattr(SwanEpochLines, "line", interrupted)
        assert main(train_arguments(source, folder, epochs=EPOCHS)) == 130
    signal.signal(signal.SIGINT, before)
    sentence = capsys.readouterr().err.splitlines()[-1]
    assert "interrupted; all epochs that had ended are saved; go on with" in sentence
    assert len((folder / "metrics.csv").read_text().splitlines()) == 1 + 3
    assert main(shlex.split(sentence.split("'")[1])[1:]) == 0
    assert weights(folder) == weights(whole.folder)
    assert (folder / "metrics.csv").read_text() == (whole.folder / "metrics.csv").read_text()


def test_only_the_same_training_goes_on(source, copy, capsys):
    (copy / "run.json").unlink()
    other = train_arguments(source, copy, epochs=EPOCHS + 1)
    assert "was started with another epochs" in refused([*other, "--resume"], capsys)
    same = train_arguments(source, copy, epochs=EPOCHS)
    assert "go on with --resume, replace it with --overwrite" in refused(same, capsys)
    changed = pairs_file(copy.parent, lengths=(2, 3))
    shutil.copy(changed, copy.parent / "kept.tsv")
    config = (copy / "config.yaml").read_text().replace(str(source), str(changed))
    (copy / "config.yaml").write_text(config)
    again = ["swan", "train", "--config", copy / "config.yaml", "--out", copy, "--resume"]
    assert "was made with another pairs" in refused(again, capsys)


def test_a_finished_training_is_not_resumed(source, copy, capsys):
    arguments = train_arguments(source, copy, epochs=EPOCHS)
    assert "has finished" in refused([*arguments, "--resume"], capsys)


def test_patience_ends_a_training(source, tmp_path):
    config = tiny_config(source, epochs=50, patience=2, learning_rate=0.0, split_seed=1)
    assert train(config, tmp_path / "run").results["epochs"] == 3


def test_a_run_from_standard_input(source, tmp_path, monkeypatch, capsys):
    piped = io.TextIOWrapper(io.BytesIO(source.read_bytes()))
    monkeypatch.setattr(sys, "stdin", piped)
    folder = tmp_path / "run"
    assert main([*train_arguments("-", folder, epochs=1), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["folder"] == str(folder)
    assert shown["development"]["words_wrong"]["mean"] <= 1
    assert main(["swan", "evaluate", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["inputs"] == shown["development_inputs"]


def test_development_pairs_of_ones_own(source, tmp_path):
    dev = pairs_file(tmp_path, lengths=(5,), name="dev.tsv")
    trained = train(tiny_config(source, epochs=1, dev=str(dev)), tmp_path / "run")
    assert len(trained.development) == trained.results["development_inputs"] > 500
    assert trained.results["inputs"] == len(source.read_text().splitlines())


def test_each_kind_of_run_says_what_it_is(whole, source, tmp_path, capsys):
    sentence = refused(["segment", whole.folder, source], capsys)
    assert "holds a sequence model (made by 'segtopic swan train'), not a topic model" in sentence
    with pytest.raises(RunError, match="use it with 'segtopic swan decode'"):
        load_run(whole.folder)
    topics = tmp_path / "topics"
    topics.mkdir()
    (topics / "config.yaml").write_text("data: lee\nn_topics: 3\n")
    sentence = refused(["swan", "decode", topics, source], capsys)
    assert "holds a topic model (made by 'segtopic train'), not a sequence model" in sentence
    assert "is not a run" in refused(["swan", "decode", tmp_path, source], capsys)


@pytest.mark.parametrize("name", ["symbols.json", "development.jsonl", "model.safetensors"])
def test_changed_files_are_noticed(copy, name, capsys):
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    assert f"{name}: has changed since the training" in refused(["swan", "decode", copy], capsys)
    (copy / name).unlink()
    assert f"{name}: is missing" in refused(["swan", "decode", copy], capsys)


def test_weights_are_stored_in_single_precision(whole):
    dtypes = {str(each.dtype) for each in load_file(whole.folder / "model.safetensors").values()}
    assert dtypes == {"torch.float32"}


class TestDoors:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"AB\tx\n\nBA\tx\n", "line 2 is empty"),
            (b"AB\n", "line 1 has no tab"),
            (b"\tx\n", "line 1 has an empty input"),
            (b"A\t\n", "line 1 has an empty output"),
            (b"A\xff\tx\n", "line 1, byte 2 of the file: 0xff is not utf-8"),
            (b"A\tx\0\n", "holds a NUL byte"),
            (b"", "holds no pairs"),
            (b"A\tx\n", "only 1 input"),
            (
                b"AB\tx\nA\tx x x x\nB\ty y y y y\n",
                "2 of 3 pairs have more outputs than their inputs can emit, at most 3 each "
                "(the first: 'A' with the output 'x x x x'); leave them out with "
                "--on-bad-line skip, or pass --max-segment-length 5",
            ),
        ],
    )
    def test_bad_files_are_one_sentence_and_leave_nothing(self, tmp_path, capsys, content, message):
        path = tmp_path / "pairs.tsv"
        path.write_bytes(content)
        assert message in refused(train_arguments(path, tmp_path / "run"), capsys)
        assert not (tmp_path / "run").exists()

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            (["--data", "nowhere.tsv"], "nowhere.tsv: cannot be read"),
            (["--data", ""], "give one with --data"),
            (["--output-symbols", ""], "output_symbols is ''"),
            (["--epochs", "0"], "epochs is 0"),
            (["--encoding", "klingon"], "encoding is 'klingon', which Python does not know"),
            (["--strides", "[2, 2]"], "strides is [2, 2]"),
            (["--precision", "8"], "--precision"),
            (["--unit", "3"], "unknown flag --unit; did you mean '--units'?"),
        ],
    )
    def test_impossible_wishes(self, source, tmp_path, capsys, more, message):
        assert message in refused([*train_arguments(source, tmp_path / "run"), *more], capsys)

    def test_bad_lines_and_impossible_pairs_are_skipped_and_counted(self, source, tmp_path, capsys):
        path = tmp_path / "pairs.tsv"
        path.write_text(source.read_text() + "\nA\nA\tb b b b b\n")
        arguments = train_arguments(path, tmp_path / "run", epochs=1)
        assert main([*arguments, "--on-bad-line", "skip", "--json"]) == 0
        printed = capsys.readouterr()
        assert "skipped 2 lines that cannot be read" in printed.err
        shown = json.loads(printed.out)
        assert shown["impossible_pairs"] + shown["development"]["impossible_pairs"] == 1

    def test_inputs_too_short_for_the_strides(self, tmp_path):
        path = tmp_path / "pairs.tsv"
        path.write_text("A\tb\nAB\tb\nABAB\tb\n")
        with pytest.raises(CorpusError, match="or use smaller strides"):
            train(tiny_config(path, strides=(2,)), tmp_path / "run")


def test_strides_and_alignments(tmp_path, capsys):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{'AB' * n}\t{'x ' * n}\n" for n in range(1, 9)))
    folder = tmp_path / "run"
    assert main([*train_arguments(path, folder, epochs=2), "--strides", "[2]"]) == 0
    (tmp_path / "odd.tsv").write_text("ABABA\tx x\n")
    capsys.readouterr()
    assert main(["swan", "align", str(folder), str(tmp_path / "odd.tsv")]) == 0
    left, right = capsys.readouterr().out.split()
    assert left.startswith("A+B:")
    assert right.startswith("A+B:")
    assert main(["swan", "report", str(folder)]) == 0
