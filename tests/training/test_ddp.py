"""Two processes, on one machine or on two, train the same model as one."""

import csv
import json
import os
import socket
import subprocess
import sys

import pytest

from tests.training.planted import planted_file

# What is dropped at random depends on the process; without it all figures must be the same.
NOTHING_DROPPED = ("--dropout", "0", "--hidden-words", "0", "--continuation", "phrases")
FIGURES = ("dev_refined", "dev_mean", "dev_continuation", "kl", "segment_length")


def command(source, out, *flags):
    made = [sys.executable, "-m", "segtopic", "train", "--data", str(source)]
    made += ["--n-topics", "3", "--hidden-size", "16", "--encoder-size", "16"]
    made += ["--epochs", "4", "--batch-size", "17", "--learning-rate", "0.01"]
    made += ["--kl-warmup", "2", "--patience", "8", "--out", str(out), "--json"]
    return [*made, "--trainer.accelerator", "cpu", "--trainer.threads", "1", *flags]


def figures(out):
    with (out / "metrics.csv").open() as file:
        return [{name: float(row[name]) for name in FIGURES} for row in csv.DictReader(file)]


def finished(*processes):
    told = [process.communicate(timeout=900) for process in processes]
    for process, (_, error) in zip(processes, told, strict=True):
        assert process.returncode == 0, error.decode()
    return [output for output, _ in told]


def begin(arguments, **environment):
    return subprocess.Popen(
        arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
    )


@pytest.mark.slow
def test_two_machines_train_the_same_model_as_one(tmp_path):
    """Two 'machines' that meet at the loopback address; only the first one writes the run."""
    source = planted_file(tmp_path)
    finished(begin(command(source, tmp_path / "one", *NOTHING_DROPPED)))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    flags = (*NOTHING_DROPPED, "--trainer.num_nodes", "2", "--trainer.strategy", "ddp")
    meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    together = command(source, tmp_path / "two", *flags)
    first, second = finished(*(begin(together, NODE_RANK=str(rank), **meeting) for rank in (0, 1)))
    assert json.loads(first)["folder"] == str(tmp_path / "two")
    assert second == b""
    one, two = figures(tmp_path / "one"), figures(tmp_path / "two")
    assert len(one) == len(two) == 4
    for alone, shared in zip(one, two, strict=True):
        assert shared == pytest.approx(alone, abs=1e-4)


@pytest.mark.slow
def test_two_processes_train_to_the_same_quality(tmp_path):
    """Also where units and words are dropped at random."""
    source = planted_file(tmp_path)
    flags = ("--trainer.devices", "2", "--trainer.strategy", "ddp")
    finished(begin(command(source, tmp_path / "one")))
    finished(begin(command(source, tmp_path / "two", *flags)))
    one, two = figures(tmp_path / "one"), figures(tmp_path / "two")
    assert two[-1]["dev_refined"] == pytest.approx(one[-1]["dev_refined"], abs=0.05)
