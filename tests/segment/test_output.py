"""A long output keeps what is safe, and says so, whichever of its files cannot be written."""

import os
from contextlib import suppress

import pytest

from segtopic.errors import OutputError
from segtopic.segment.output import ResumableFile


def two_lines(path, key, between=lambda: None):
    """A line that is safe, something else, and a line that may be."""
    with ResumableFile(path, key) as output:
        output.write("one\n")
        output.keep(1)
        between()
        output.write("two\n")
        output.keep(1)


def test_when_the_state_cannot_be_written(tmp_path):
    path = tmp_path / "out.jsonl"
    in_the_way = tmp_path / f".out.jsonl.partial.json.{os.getpid()}.tmp"
    with pytest.raises(OutputError, match=r"what was written so far is kept for --resume"):
        two_lines(path, "key", between=in_the_way.mkdir)
    in_the_way.rmdir()
    with ResumableFile(path, "key", resume=True) as output:
        assert output.documents == 1
        output.write("two\n")
    assert path.read_text() == "one\ntwo\n"


def test_other_settings_do_not_go_on(tmp_path):
    path = tmp_path / "out.jsonl"

    def interrupt():
        raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        two_lines(path, "key", between=interrupt)
    with pytest.raises(OutputError, match="was begun with another model, source or setting"):
        ResumableFile(path, "other", resume=True)
