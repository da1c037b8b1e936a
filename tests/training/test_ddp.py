"""Two processes train to the same quality as one."""

import json
import subprocess
import sys

import pytest

from tests.training.planted import planted_file


@pytest.mark.slow
def test_two_processes_train_to_the_same_quality(tmp_path):
    source = planted_file(tmp_path)
    results = {}
    for devices in (1, 2):
        out = tmp_path / f"run{devices}"
        command = [sys.executable, "-m", "segtopic", "train", "--data", str(source)]
        command += ["--n-topics", "3", "--hidden-size", "16", "--encoder-size", "16"]
        command += ["--epochs", "8", "--batch-size", "16", "--learning-rate", "0.01"]
        command += ["--kl-warmup", "2", "--patience", "8", "--out", str(out), "--json"]
        command += ["--trainer.accelerator", "cpu", "--trainer.threads", "1"]
        command += ["--trainer.devices", str(devices)]
        if devices == 2:
            command += ["--trainer.strategy", "ddp"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        results[devices] = json.loads(done.stdout)
    assert results[2]["dev_refined"] == pytest.approx(results[1]["dev_refined"], abs=0.05)
