"""Whoever only uses a model meets neither the trainer nor the baselines' libraries."""

import json
import os
import subprocess
import sys

import pytest

from segtopic.cli import COMMANDS
from segtopic.commands.swan import COMMANDS as SWAN_COMMANDS
from segtopic.swan.run import train as train_swan
from tests.swan.planted import pairs_file, tiny_config
from tests.training.planted import planted_file, planted_texts
from tests.training.runs import planted_run

TRAINERS = {"pytorch_lightning", "lightning_fabric", "tensorboard", "gensim", "tomotopy"}
COMMAND = """
import json, sys
from segtopic.cli import main
try:
    code = main(sys.argv[1:])
except SystemExit as ended:  # of help
    code = ended.code
assert code == 0, code
print()
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""
LOOK_AT_SWAN = """
import json, sys
from segtopic import Swan
from segtopic.cli import main
model = Swan.load(sys.argv[1])
assert model.predict(["XAB"]) and model.align([("XAB", "k s b")])
for command in ("align", "evaluate", "report"):
    assert main(["swan", command, *sys.argv[1:]]) == 0
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""
FIRST_TOPICS = """
import json, os, sys
from segtopic.cli import main
from segtopic.commands import train
def look(found, corpus):
    print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), flush=True)
    os._exit(0)
train._tell_first_topics = look
main(["train", "--data", sys.argv[1], "--out", sys.argv[2], "--n-topics", "2"])
"""
LOAD = """
import json, sys
from segtopic import SegTopic
model = SegTopic.load(sys.argv[1])
assert model.segment(sys.argv[2])
assert model.transform([sys.argv[2]]).shape == (1, model.n_topics_)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return planted_run(tmp_path_factory.mktemp("imports"), epochs=1).folder


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text(planted_texts(1)[0][0])
    return path


def imported(program, *arguments):
    """The modules that a new Python has imported in the end."""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_segmenting_meets_no_trainer(run, text):
    modules = imported(COMMAND, "segment", run, text)
    assert "torch" in modules
    assert modules & {*TRAINERS, "torchmetrics", "sklearn", "pandas", "nltk", "sympy"} == set()


def test_loading_the_estimator_meets_no_trainer(run, text):
    modules = imported(LOAD, run, text.read_text())
    assert "sklearn" in modules
    assert modules & TRAINERS == set()


@pytest.mark.parametrize("command", ["evaluate", "topics", "report"])
def test_looking_at_a_run_meets_no_trainer(run, tmp_path, command):
    more = ("-o", tmp_path / "page.html") if command == "report" else ()
    assert imported(COMMAND, command, run, *more) & TRAINERS == set()


def test_first_topics_come_before_torch(tmp_path):
    modules = imported(FIRST_TOPICS, planted_file(tmp_path), tmp_path / "run")
    assert "tomotopy" in modules
    assert modules & {"torch", "pytorch_lightning", "sklearn", "scipy"} == set()


@pytest.fixture(scope="module")
def swan_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("swan")
    pairs = pairs_file(folder, lengths=(2, 3))
    return train_swan(tiny_config(pairs, epochs=1), folder / "run").folder


@pytest.fixture(scope="module")
def pairs(swan_run):
    return swan_run.parent / "pairs.tsv"


def test_decoding_meets_no_trainer(swan_run, tmp_path):
    (tmp_path / "words.txt").write_text("XAB\n")
    modules = imported(COMMAND, "swan", "decode", swan_run, tmp_path / "words.txt")
    assert "torch" in modules
    assert modules & {*TRAINERS, "sklearn", "pandas"} == set()


def test_looking_at_a_sequence_model_meets_no_trainer(swan_run, pairs):
    modules = imported(LOOK_AT_SWAN, swan_run, pairs)
    assert "sklearn" in modules
    assert modules & TRAINERS == set()


@pytest.mark.parametrize("command", SWAN_COMMANDS)
def test_help_on_sequences_needs_no_torch(command):
    modules = imported(COMMAND, "swan", command, "--help")
    assert modules & {*TRAINERS, "torch", "pyarrow", "sklearn"} == set()


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"swan"}))
def test_help_needs_no_torch(command):
    assert (
        imported(COMMAND, command, "--help")
        & {*TRAINERS, "torch", "pyarrow", "sklearn", "fastapi", "pydantic"}
        == set()
    )
