"""The page on sequences: its programs run, and print what it says."""

import re
from pathlib import Path

import pytest
import torch

PAGE = (Path(__file__).parents[2] / "docs" / "swan.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
PRINTED = re.findall(r"```text\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_loss_runs():
    torch.manual_seed(0)
    names = {}
    exec(PROGRAMS[0], names)
    assert names["value"].isfinite()
    assert [len(best) for best in names["best"]] == [3, 3, 3, 3]
    assert [sum(path.lengths) for path in names["paths"]] == [12, 9, 12, 4]


@pytest.mark.slow
def test_the_grammar_is_learned_as_printed(capsys):
    exec(PROGRAMS[1], {})
    assert capsys.readouterr().out == PRINTED[0]
