"""Files on other file systems, and pieces of them."""

import json
import os
import shutil
import socket
import subprocess
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.config import SourceConfig
from segtopic.corpus.blocks import blocks_of, places, read_block, survey
from segtopic.corpus.records import BadLines, DuplicateIds
from segtopic.corpus.sources import locate, read_documents
from segtopic.files import storage
from segtopic.files.storage import Storage, fetched


@pytest.mark.parametrize("remote", [False, True])
def test_files_are_written_read_and_removed(tmp_path, remote):
    folder = Storage.at(f"memory://test/{tmp_path.name}" if remote else str(tmp_path / "new"))
    assert folder.names() == []
    folder.write("a", b"1")
    folder.write("below/b", b"2")
    assert folder.names() == ["a"]
    assert folder.read("below/b") == b"2"
    folder.remove("below")
    folder.remove("nothing")
    assert not folder.exists("below/b")


@given(
    lines=st.lists(st.text("ab", max_size=5), max_size=8),
    last_has_end=st.booleans(),
    cuts=st.lists(st.integers(0, 40), max_size=4),
    block=st.integers(1, 7),
)
def test_every_line_is_in_one_piece(tmp_path_factory, lines, last_has_end, cuts, block):
    """However a file is cut, its pieces together are the file, and none begins inside a line."""
    content = "\n".join(lines) + ("\n" if last_has_end else "")
    path = tmp_path_factory.mktemp("pieces") / "x.jsonl"
    path.write_text(content)
    borders = sorted({0, *(cut for cut in cuts if cut < len(content))})
    pieces = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(storage, "BLOCK", block)
        for begin, end in zip(borders, [*borders[1:], max(len(content), 1)], strict=True):
            with fetched(str(path), begin, end) as piece:
                pieces.append(piece.read_text())
    assert "".join(pieces) == content
    for earlier in pieces[:-1]:
        assert earlier == "" or earlier.endswith("\n") or not content.endswith("\n")


@pytest.fixture
def s3(monkeypatch):
    """An S3 server of this machine, and a folder on it."""
    server = shutil.which("moto_server")
    if server is None:
        pytest.skip("there is no moto_server on the path: pip install 'moto[server]'")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    process = subprocess.Popen(
        [server, "-H", "127.0.0.1", "-p", str(port)], env=environment, **quiet
    )
    try:
        where = f"endpoint_override=127.0.0.1:{port}&scheme=http&allow_bucket_creation=true"
        where += "&allow_delayed_open=true"  # the server cannot put files together of parts
        for _ in range(300):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield lambda path: f"s3://bucket/{path}?{where}"
    finally:
        process.terminate()
        process.wait()


@pytest.mark.slow
def test_a_source_and_an_output_on_s3(s3):
    rows = [{"id": f"d{number}", "text": f"text {number}"} for number in range(20)]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    folder = Storage.at(s3("in"))
    for name in ("a.jsonl", "b.jsonl"):
        folder.write(name, content)
    assert folder.names() == ["a.jsonl", "b.jsonl"]
    for address, n_documents in ((s3("in"), 40), (s3("in/b.jsonl"), 20)):
        source = locate(SourceConfig(data=address))
        found = [record.id for record in read_documents(source, BadLines(), DuplicateIds())]
        blocks = blocks_of([source], block_bytes=100)
        bad_lines = BadLines()
        where = places(blocks, [survey(block, bad_lines) for block in blocks], bad_lines)
        pairs = zip(blocks, where, strict=True)
        assert found == [record.id for pair in pairs for record in read_block(*pair)]
        assert len(found) == n_documents
    folder.remove("a.jsonl")
    assert folder.names() == ["b.jsonl"]
