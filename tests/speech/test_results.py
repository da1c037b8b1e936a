"""The page on speech is made of the files beside it, and its differences of the errors in them."""

import importlib
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(monkeypatch):
    """``scripts/swan_speech.py``."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("swan_speech")


def test_the_page_is_what_its_files_say(script):
    assert script.PAGE.read_text() == script.page(), "run python scripts/swan_speech.py table"


def test_differences_are_those_of_the_errors_that_are_kept(script):
    kept = json.loads((script.KEPT / "differences.json").read_text())
    again = {names: found for names, found in kept.items() if "utterances" in found}
    assert again
    for names, found in again.items():
        assert script.difference(*names.split(" - ")) == found, names


@pytest.fixture
def figures(script):
    """``scripts/speech/figures.py``."""
    return importlib.import_module("speech.figures")


def of_seed(wrong, counts):
    return {"errors": {"symbols": {"wrong": wrong, "of": counts}}}


def test_errors_of_a_recording_are_added_over_seeds(figures):
    seeds = [of_seed("0 3", "4 6"), of_seed("1 1", "4 6")]
    symbols = figures.errors_over_seeds(seeds, "symbols")
    assert (symbols.log_likelihood.tolist(), symbols.words.tolist()) == ([1, 4], [8, 12])
    utterances = figures.errors_over_seeds(seeds, "utterances")
    assert (utterances.log_likelihood.tolist(), utterances.words.tolist()) == ([1, 2], [2, 2])
    assert figures.errors_over_seeds(seeds, "words") is None


def test_a_difference_is_paired(figures):
    """Each recording has one error more: whichever are drawn, the difference is the same."""
    one, other = of_seed("1 6 3", "10 10 10"), of_seed("0 5 2", "10 10 10")
    found = figures.paired_difference([one], [other])["symbols"]
    assert found == {"mean": 10.0, "low": 10.0, "high": 10.0}
