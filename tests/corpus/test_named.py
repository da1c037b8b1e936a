"""Named corpora: found, fetched from a server on this computer, refused."""

import gc
import hashlib
import threading
import warnings
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from segtopic.corpus import named
from segtopic.corpus.named import (
    KnownFile,
    NamedCorpus,
    cache_folder,
    download,
    find,
    named_corpus,
    require,
)
from segtopic.errors import CorpusError, DownloadError
from segtopic.files import digest_of

CONTENT = b"one document a line\n" * 1000
SHA256 = "sha256:" + hashlib.sha256(CONTENT).hexdigest()
GIT = "gitblob:" + hashlib.sha1(b"blob %d\0" % len(CONTENT) + CONTENT).hexdigest()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/missing":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[: len(CONTENT) // 2] if self.path == "/cut" else CONTENT)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    http = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{http.server_port}"
    http.shutdown()
    thread.join()
    http.server_close()
    with warnings.catch_warnings():  # pooch leaves the connection open when a request fails
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def corpus(url, digest=SHA256):
    file = KnownFile("small.lines", digest, url)
    return NamedCorpus("small", "a test", "none", "https://example.org", (file,))


def downloads():
    folder = cache_folder() / "downloads"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


@pytest.mark.parametrize("digest", [SHA256, GIT])
def test_success_and_cache(server, digest):
    small = corpus(f"{server}/whole", digest)
    path = download(small)
    assert path.read_bytes() == CONTENT
    assert downloads() == ["small.lines"]
    gone = replace(small, files=(replace(small.files[0], url="http://127.0.0.1:9/"),))
    assert download(gone) == path  # cached: the server is not asked again


def refused(small, *parts):
    with pytest.raises(DownloadError) as caught:
        download(small)
    for part in (*parts, "put small.lines into a folder and set SEGTOPIC_DATA"):
        assert part in str(caught.value)
    assert downloads() == []


def test_wrong_digest(server):
    refused(corpus(f"{server}/whole", "sha256:00"), "is not the expected file", "nothing was kept")


def test_cut_connection(server):
    refused(corpus(f"{server}/cut"), "could not be downloaded", "connection was cut")


def test_404(server):
    refused(corpus(f"{server}/missing"), "the server answered 404")


def test_offline():
    refused(corpus("http://127.0.0.1:9/small"), "no connection", "check the network")


def test_a_corpus_that_is_not_published():
    with pytest.raises(DownloadError, match="'small' is not published as a file"):
        download(corpus(None))


def test_the_data_folder_comes_first(server, tmp_path, monkeypatch):
    small = corpus(f"{server}/whole")
    download(small)
    monkeypatch.setenv("SEGTOPIC_DATA", str(tmp_path))
    (tmp_path / "small.lines").write_bytes(CONTENT)
    assert find(small)[0] == tmp_path / "small.lines"
    (tmp_path / "small.lines").write_bytes(CONTENT[:100])
    with pytest.raises(DownloadError, match="is not the file that 'small' needs"):
        find(small)


def test_a_corpus_that_is_not_here_says_how_to_get_it():
    assert find(named_corpus("ap")) is None
    with pytest.raises(CorpusError, match=r"segtopic data download ap.*put ap.tgz or ap.txt"):
        require(named_corpus("ap"))
    with pytest.raises(CorpusError, match=r"put acl-abstracts.jsonl.gz into a folder"):
        require(named_corpus("acl"))
    with pytest.raises(CorpusError, match="no corpus named 'app'; did you mean 'ap'"):
        named_corpus("app")


def test_lee_needs_no_download():
    path, file = require(named_corpus("lee"))
    assert digest_of(path) == file.digest


def test_every_named_corpus_says_what_it_is():
    for name, entry in named.NAMED_CORPORA.items():
        assert name == entry.name
        assert entry.about
        assert entry.licence
        assert entry.homepage.startswith("https://")
        assert all(file.digest.partition(":")[0] in ("sha256", "gitblob") for file in entry.files)
