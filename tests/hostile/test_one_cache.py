"""Several processes with one cache: all of them succeed, and nothing in it is broken."""

import hashlib
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from segtopic.corpus import prepare
from segtopic.corpus.corpus import Corpus
from tests.training.planted import planted_file

START = """
import sys, time
from pathlib import Path
from segtopic.config import CorpusConfig
from segtopic.corpus import prepare_corpus
from segtopic.corpus.named import download
from segtopic.corpus.named import KnownFile, NamedCorpus
ready, number, *rest = sys.argv[1:]
Path(ready, number).touch()
while len(list(Path(ready).iterdir())) < 3:  # all begin at once
    time.sleep(0.001)
"""
PREPARE = """
for _ in range(5):
    print(len(prepare_corpus(CorpusConfig(data=rest[0]), jobs=1).load()))
"""
DOWNLOAD = """
file = KnownFile("small.lines", rest[1], rest[0])
print(download(NamedCorpus("small", "a test", "none", "here", (file,))).stat().st_size)
"""


def all_at_once(code, tmp_path, *arguments):
    """What three processes print, if none of them fails."""
    (tmp_path / "ready").mkdir()
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "SEGTOPIC_DATA": "",
    }
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", START + code, tmp_path / "ready", str(number), *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    ended = [process.communicate(timeout=120) for process in processes]
    for process, (_, said) in zip(processes, ended, strict=True):
        assert process.returncode == 0, said
    return [printed.split() for printed, _ in ended]


@pytest.mark.slow
@pytest.mark.parametrize("before", ["nothing", "damaged"])
def test_one_corpus_is_prepared_by_three(tmp_path, monkeypatch, before):
    source = planted_file(tmp_path)
    corpora = tmp_path / "cache" / "segtopic" / "corpora"
    if before == "damaged":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        folder = prepare.prepare_corpus(prepare.CorpusConfig(data=str(source)), jobs=1).folder
        (folder / "documents.arrow").write_bytes(b"broken")
    assert all_at_once(PREPARE, tmp_path, source) == [["150"] * 5] * 3
    (folder,) = corpora.iterdir()
    assert len(Corpus.load(folder)) == 150


def test_a_corpus_that_another_process_made_meanwhile_stays(tmp_path, monkeypatch):
    """The slower of two keeps its hands off what the faster one may have opened."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    config = prepare.CorpusConfig(data=str(planted_file(tmp_path)))
    inner = None

    def faster(stage, documents):
        nonlocal inner
        if inner is None:
            inner = prepare.prepare_corpus(config, jobs=1)
            inner = inner.folder, (inner.folder / "manifest.json").stat().st_ino

    slower = prepare.prepare_corpus(config, jobs=1, progress=faster)
    assert (slower.folder, (slower.folder / "manifest.json").stat().st_ino) == inner
    assert len(list(slower.folder.parent.iterdir())) == 1


class Server(BaseHTTPRequestHandler):
    content = b"one document a line\n" * 50_000

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.content)))
        self.end_headers()
        self.wfile.write(self.content)

    def log_message(self, *arguments):
        pass


def test_one_corpus_is_downloaded_by_three(tmp_path):
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        digest = "sha256:" + hashlib.sha256(Server.content).hexdigest()
        url = f"http://127.0.0.1:{server.server_port}/x"
        sizes = all_at_once(DOWNLOAD, tmp_path, url, digest)
        server.shutdown()
        thread.join()
    assert sizes == [["1000000"]] * 3
    (file,) = (tmp_path / "cache" / "segtopic" / "downloads").iterdir()
    assert file.read_bytes() == Server.content
