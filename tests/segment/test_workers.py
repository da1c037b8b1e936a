"""The same bytes, whoever works."""

import json

import pytest

from segtopic.cli import main
from segtopic.engine import Processes
from segtopic.errors import WorkerError
from tests.training.planted import planted_texts


def end_at_once(piece):
    import os

    os._exit(7)


def starts_to_end():
    return end_at_once


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("workers") / "new.jsonl"
    rows = [{"id": f"d{n}", "text": text} for n, text in enumerate(planted_texts(300, seed=9)[0])]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_workers_write_the_same_bytes(trained, source, tmp_path):
    arguments = ["segment", str(trained.folder), str(source), "--format", "jsonl", "--sample", "2"]
    for name, flags in (("one", []), ("two", ["--workers", "2"])):
        assert main([*arguments, "--out", str(tmp_path / name), *flags]) == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_an_interrupted_output_goes_on_with_workers(trained, source, tmp_path, monkeypatch):
    from segtopic.segment.output import ResumableFile

    arguments = ["segment", str(trained.folder), str(source), "--format", "csv"]
    assert main([*arguments, "--out", str(tmp_path / "whole")]) == 0
    keep = ResumableFile.keep

    def once(self, n_documents):
        keep(self, n_documents)
        if self.documents >= 128:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ResumableFile, "keep", once)
        assert main([*arguments, "--out", str(tmp_path / "out")]) == 130
    assert main([*arguments, "--out", str(tmp_path / "out"), "--resume", "--workers", "1"]) == 0
    assert (tmp_path / "out").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_killed_worker_is_told():
    with pytest.raises(WorkerError, match="a worker process was killed"):
        list(Processes(1).map(starts_to_end, [1]))


def test_workers_are_at_least_one(trained, source, capsys):
    assert main(["segment", str(trained.folder), str(source), "--workers", "0"]) == 2
    assert "--workers is 0" in capsys.readouterr().err
