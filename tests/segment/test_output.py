"""A long output keeps what is safe, and says so, whichever of its files cannot be written."""

import os

import pytest

from segtopic.errors import OutputError
from segtopic.segment.output import ResumableFile


def blocked(path):
    """Let nothing be written under the temporary name of a file."""
    path.with_name(f".{path.name}.{os.getpid()}.tmp").mkdir()


def test_when_the_state_cannot_be_written(tmp_path):
    path = tmp_path / "out.jsonl"
    output = ResumableFile(path, "key")
    output.write("one\n")
    output.keep(1)
    blocked(tmp_path / "out.jsonl.partial.json")
    output.write("two\n")
    with pytest.raises(OutputError, match=r"what was written so far is kept for --resume"):
        output.keep(1)
    (tmp_path / f".out.jsonl.partial.json.{os.getpid()}.tmp").rmdir()
    with ResumableFile(path, "key", resume=True) as output:
        assert output.documents == 1
        output.write("two\n")
    assert path.read_text() == "one\ntwo\n"


def test_other_settings_do_not_go_on(tmp_path):
    path = tmp_path / "out.jsonl"
    output = ResumableFile(path, "key")
    output.write("one\n")
    output.keep(1)
    with pytest.raises(OutputError, match="was begun with another model, source or setting"):
        ResumableFile(path, "other", resume=True)
