"""What the README shows is true: its Python runs, its commands and files exist."""

import re
from pathlib import Path

from segtopic.cli import COMMANDS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_python_blocks_run():
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


def test_commands_and_files_exist():
    commands = set(re.findall(r"^(?:\| `)?segtopic (\w+)", README, re.MULTILINE))
    assert commands
    assert commands <= set(COMMANDS)
    files = re.findall(r"(?:scripts|configs|data)/[\w./-]*\w", README)
    assert {"scripts/demo.sh", "scripts/test.sh"} <= set(files)
    assert [name for name in files if not (ROOT / name).exists()] == []


def test_no_placeholder_is_left():
    assert "@@" not in README
