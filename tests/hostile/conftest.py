"""A small run to be tampered with, and a payload that would leave a mark if anything ran it."""

import json
import os
import shutil

import pytest

from segtopic.runs.seal import sealed
from tests.report.reported import small_run


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()


@pytest.fixture(scope="session")
def clean_run(tmp_path_factory):
    """A finished run of two epochs on hostile documents; do not change it."""
    return small_run(tmp_path_factory.mktemp("hostile"), keep_checkpoints=True)


@pytest.fixture
def run_copy(clean_run, tmp_path):
    """The same run, free to be changed: its seal names no file but the documents."""
    folder = shutil.copytree(clean_run.folder, tmp_path / "run")
    results = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(sealed(results, folder, ["documents.arrow"]))
    return folder


class Payload:
    """Touches a file when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.system, (f"touch {self.mark}",)


@pytest.fixture
def payload(tmp_path):
    """The payload; after the test its mark must not be there."""
    mark = tmp_path / "pwned"
    yield Payload(mark)
    assert not mark.exists(), "the payload was run"
