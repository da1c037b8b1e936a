"""The same seed, machine and threads give the same bytes."""

import re
import shutil

import pytest
import torch

from segtopic.cli import main
from segtopic.config import TrainerConfig
from tests.faults.commands import SEALED, train_quietly
from tests.training.planted import planted_file, small

WEIGHTS, METRICS = "model.safetensors", "metrics.csv"


@pytest.fixture(scope="module", autouse=True)
def threads_as_before():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return planted_file(tmp_path_factory.mktemp("planted"), n_documents=60)


def trained(source, folder, threads=1, **settings):
    config = small(source, **{"epochs": 2, "hidden_size": 8, "encoder_size": 8, **settings})
    return train_quietly(config, folder, TrainerConfig(accelerator="cpu", threads=threads))


@pytest.fixture(scope="module")
def twice(source, tmp_path_factory):
    """Two trainings with other random numbers drawn in between."""
    folder = tmp_path_factory.mktemp("twice")
    first = trained(source, folder / "a")
    torch.rand(7)
    return first, trained(source, folder / "b")


def test_all_files_of_a_run(twice):
    first, second = twice
    for name in SEALED[:5]:
        assert (first.folder / name).read_bytes() == (second.folder / name).read_bytes(), name
    results = [{**run.results, "seconds": None} for run in twice]
    assert results[0] == results[1]


@pytest.mark.slow  # two threads wait for each other on a busy machine
def test_weights_and_metrics_on_two_threads(source, tmp_path):
    first, second = (trained(source, tmp_path / name, threads=2) for name in "ab")
    for name in (WEIGHTS, METRICS):
        assert (first.folder / name).read_bytes() == (second.folder / name).read_bytes()


@pytest.mark.parametrize(
    "settings",
    [
        {"topics": "network", "continuation": "gated"},
        {"topics": "network", "continuation": "joint", "last_step": "charged"},
        {"continuation": "roles", "last_step": "charged"},
    ],
    ids=["gated", "joint", "roles"],
)
def test_other_models(source, tmp_path, settings):
    first, second = (trained(source, tmp_path / name, **settings) for name in "ab")
    for name in (WEIGHTS, METRICS):
        assert (first.folder / name).read_bytes() == (second.folder / name).read_bytes()


def test_another_seed_gives_another_run(source, twice, tmp_path):
    other = trained(source, tmp_path / "other", seed=1)
    for name in (WEIGHTS, METRICS):
        assert (other.folder / name).read_bytes() != (twice[0].folder / name).read_bytes()


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "--json"],
        ["evaluate", "--json", "--samples", "3"],
        ["topics", "--json"],
        ["topics"],
    ],
    ids=" ".join,
)
def test_what_commands_print(twice, tmp_path, capsys, command):
    """The second run stands where the first one stood, so that even the paths are the same."""
    printed = []
    for run in twice:
        shutil.copytree(run.folder, tmp_path / "run")
        capsys.readouterr()
        assert main([command[0], str(tmp_path / "run"), *command[1:]]) == 0
        printed.append(capsys.readouterr().out)
        shutil.rmtree(tmp_path / "run")
    assert printed[0] == printed[1]


def test_the_report(twice, tmp_path):
    """The time of the training is the only difference."""
    pages = []
    for run in twice:
        shutil.copytree(run.folder, tmp_path / "run")
        assert main(["report", str(tmp_path / "run"), "-o", str(tmp_path / "page.html")]) == 0
        pages.append((tmp_path / "page.html").read_text())
        shutil.rmtree(tmp_path / "run")
    without_time = [re.sub(r"\d+(\.\d+)? s\b", "", page) for page in pages]
    assert without_time[0] == without_time[1]


def test_segments(twice, tmp_path, capsys):
    text = tmp_path / "text.txt"
    text.write_text("bababa badeba bafiba, derude derufi derugo")
    printed = []
    for run in twice:
        for more in (["--format", "jsonl"], ["--sample", "3", "--format", "jsonl"]):
            capsys.readouterr()
            assert main(["segment", str(run.folder), str(text), *more]) == 0
            printed.append(capsys.readouterr().out)
    assert printed[:2] == printed[2:]
