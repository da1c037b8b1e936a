"""A precision that this machine only seems to have is refused before anything is written."""

import pytest

from segtopic.cli import main
from segtopic.config import rounding


@pytest.fixture
def dying(monkeypatch):
    """A machine whose first rounded product ends the process."""
    monkeypatch.setattr(rounding, "PRODUCTS", "import os; os.abort()")


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("ab\tx y\nba\ty x\n")
    return path


def test_other_precisions_are_not_tried(dying):
    rounding.check_rounding("32-true")
    rounding.check_rounding("64-true")


def test_topics_and_sequences_refuse_it(dying, pairs, tmp_path, capsys):
    out = tmp_path / "run"
    swan = ["swan", "train", "--data", str(pairs), "--precision", "bf16-mixed"]
    for command in (["train", "--trainer.precision", "bf16-mixed"], swan):
        assert main([*command, "--out", str(out)]) == 2
        message = capsys.readouterr().err.splitlines()[-1]
        assert message.startswith("segtopic: precision is 'bf16-mixed', but this machine cannot")
        assert not out.exists()


def test_products_that_work_are_let_through():
    rounding.check_rounding("bf16-mixed")  # without tiles: see conftest.py
