"""The walks of ``CONTRIBUTING.md``: control goes as they say, through every layer once."""

import re
import sys
import warnings
from itertools import groupby
from pathlib import Path

import pytest

import segtopic
from segtopic.cli import main
from segtopic.training.system import Collapse
from tests.training.planted import planted_file

HERE = Path(segtopic.__file__).parent
GUIDE = Path(__file__).parent.parent / "CONTRIBUTING.md"
SMALL = (
    *("--n-topics", "2", "--hidden-size", "4", "--encoder-size", "4", "--epochs", "1"),
    *("--kl-warmup", "0", "--refine-steps", "2", "--trainer.threads", "1"),
)


def walk(command):
    """The steps as ``(file, function)``, without a word that explains them."""
    text = GUIDE.read_text(encoding="utf-8").split(f"`segtopic {command}`:\n\n")[1]
    steps = text.split("\n\n")[0].splitlines()
    return [re.match(r"\d+\. `([\w/]+\.py)` `([\w.]+)`", step).groups() for step in steps]


def called(arguments):
    """The functions of the package in the order of their first calls."""
    found = {}

    def look(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(HERE)):
            file = Path(code.co_filename).relative_to(HERE).as_posix()
            found.setdefault((file, code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        assert main(arguments) == 0
    finally:
        sys.setprofile(before)
    return list(found)


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """What is called by both commands, one after the other."""
    folder = tmp_path_factory.mktemp("walk")
    source, run = str(planted_file(folder, n_documents=60)), str(folder / "run")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setenv("XDG_CACHE_HOME", str(folder))  # a corpus in the cache would not be prepared
        warnings.simplefilter("ignore", Collapse)
        trained = called(["train", "--data", source, "--out", run, *SMALL])
    return {"train": trained, "segment": called(["segment", run, source, "--limit", "2"])}


@pytest.mark.parametrize("command", ["train", "segment"])
def test_calls_come_in_the_order_of_the_walk(command, walked):
    places = [walked[command].index(step) for step in walk(command)]
    assert places == sorted(places)


@pytest.mark.parametrize("command", ["train", "segment"])
def test_a_walk_returns_to_no_layer(command):
    layers = [layer for layer, _ in groupby(file.split("/")[0] for file, _ in walk(command))]
    assert len(layers) == len(set(layers))
