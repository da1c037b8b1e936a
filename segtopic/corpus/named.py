"""Named corpora: what they are, where they come from, and where they are on this computer.

A name becomes a file of ``$SEGTOPIC_DATA`` or of the download cache, and always one whose digest is
the expected one. What is fetched from its publisher is renamed into the cache when it is whole.
"""

import importlib.util
import logging
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from segtopic.config import did_you_mean
from segtopic.errors import CorpusError, DownloadError
from segtopic.files import digest_of, matches

DATA_VARIABLE = "SEGTOPIC_DATA"


@dataclass(frozen=True)
class KnownFile:
    """One published form of a corpus: the name of the file, its digest, where to fetch it.

    ``member`` is the file inside an archive that holds the documents.
    """

    filename: str
    digest: str
    url: str | None = None
    megabytes: float = 0.0
    member: str | None = None


@dataclass(frozen=True)
class NamedCorpus:
    """A corpus with a name; the first of its files that is here is used."""

    name: str
    about: str
    licence: str
    homepage: str
    files: tuple[KnownFile, ...]
    reading: Mapping[str, Any] = field(default_factory=dict)

    @property
    def downloadable(self) -> KnownFile | None:
        """The file that can be fetched, if any."""
        return next((file for file in self.files if file.url), None)


NAMED_CORPORA = {
    corpus.name: corpus
    for corpus in (
        NamedCorpus(
            "lee",
            "300 short news stories of 2000-2001 (Lee, Pincombe and Welsh 2005)",
            "comes with gensim (LGPL-2.1); for research",
            "https://github.com/piskvorky/gensim",
            (
                KnownFile(
                    "lee_background.cor",
                    "sha256:5d78d6dafd953bbf65797bef09a9ffb9ec430583381be705f8fd460000f370fb",
                ),
            ),
            {"input_format": "lines"},
        ),
        NamedCorpus(
            "ap",
            "2,246 Associated Press stories of 1988-1990, as distributed with lda-c",
            "text of the Associated Press (TREC-1); for research",
            "https://github.com/blei-lab/lda-c",
            (
                KnownFile(
                    "ap.tgz",
                    "sha256:92cbe192631874708540db11969211363cf2f5c0a56b2897e0229925e5d4f2a3",
                    "https://raw.githubusercontent.com/blei-lab/lda-c/master/example/ap.tgz",
                    2.9,
                    member="ap/ap.txt",
                ),
                KnownFile(
                    "ap.txt",
                    "sha256:5a44ed0ae1ad3e56985122404afa9377a1bd83676c3bbe82dc3a40f7799a5f23",
                ),
                KnownFile(
                    "ap/ap.txt",
                    "sha256:5a44ed0ae1ad3e56985122404afa9377a1bd83676c3bbe82dc3a40f7799a5f23",
                ),
            ),
            {"input_format": "sgml", "encoding": "latin-1"},
        ),
        NamedCorpus(
            "citeulike",
            "16,980 abstracts of scientific articles (citeulike-a), or the first 1,929 of them",
            "no licence stated; texts of their publishers; for research",
            "https://github.com/js05212/citeulike-a",
            (
                KnownFile(
                    "raw-data.csv",
                    "gitblob:2d366a8142639249324d800c17bce39d59032744",
                    "https://raw.githubusercontent.com/js05212/citeulike-a/master/raw-data.csv",
                    20.0,
                ),
                KnownFile(
                    "citeulike-a-1929.csv",
                    "sha256:18341be9922b96f24bb85f6c04a4180d921015f028a3c029c22c1973e9f0a83f",
                ),
            ),
            {
                "input_format": "csv",
                "text_column": ("raw.title", "raw.abstract"),
                "id_column": "doc.id",
                "latex": True,
            },
        ),
        NamedCorpus(
            "acl",
            "57,212 English abstracts of the ACL Anthology, 2016-2026, in random order",
            "CC BY 4.0",
            "https://aclanthology.org",
            (
                KnownFile(
                    "acl-abstracts.jsonl.gz",
                    "sha256:399a1f033a52ba4a9fcd18c1eded967b2e9c9e4ece4d042a02db50662e307009",
                ),
            ),
            {"input_format": "jsonl", "text_column": ("text",), "id_column": "id"},
        ),
    )
}


def named_corpus(name: str) -> NamedCorpus:
    """The corpus of that name."""
    if name not in NAMED_CORPORA:
        known = list(NAMED_CORPORA)
        raise CorpusError(f"there is no corpus named '{name}'{did_you_mean(name, known)}")
    return NAMED_CORPORA[name]


def cache_folder() -> Path:
    """Where downloads and prepared corpora are kept for this user."""
    import pooch  # slow to import

    return Path(pooch.os_cache("segtopic"))


def find(corpus: NamedCorpus) -> tuple[Path, KnownFile] | None:
    """The file of a corpus on this computer; one with a wrong digest is an error."""
    for file in corpus.files:
        for folder in _folders():
            path = folder / file.filename
            if path.is_file():
                if not matches(path, file.digest):
                    raise DownloadError(
                        f"{path}: is not the file that '{corpus.name}' needs (its digest is not "
                        f"{file.digest}); remove it and run "
                        f"'segtopic data download {corpus.name}'"
                    )
                return path, file
    return None


def recognise(path: Path) -> tuple[NamedCorpus, KnownFile] | None:
    """The named corpus that a file belongs to, by its name and digest."""
    for corpus in NAMED_CORPORA.values():
        for file in corpus.files:
            same_name = path.is_file() and path.name == Path(file.filename).name
            if same_name and matches(path, file.digest):
                return corpus, file
    return None


def require(corpus: NamedCorpus) -> tuple[Path, KnownFile]:
    """As :func:`find`; a corpus that is not here is an error that says how to get it."""
    found = find(corpus)
    if found is None:
        raise CorpusError(
            f"'{corpus.name}' is not on this computer; "
            + (
                f"run 'segtopic data download {corpus.name}', or {put_it_here(corpus)}"
                if corpus.downloadable
                else put_it_here(corpus)
            )
        )
    return found


def put_it_here(corpus: NamedCorpus) -> str:
    """What to put where when there is no network."""
    names = " or ".join(file.filename for file in corpus.files)
    return f"put {names} into a folder and set {DATA_VARIABLE} to it ({corpus.homepage})"


def _folders() -> Iterator[Path]:
    if os.environ.get(DATA_VARIABLE):
        yield Path(os.environ[DATA_VARIABLE])
    # The wheel of gensim holds the Lee corpus; gensim itself is slow to import.
    gensim = importlib.util.find_spec("gensim")
    if gensim is not None and gensim.submodule_search_locations:
        yield Path(gensim.submodule_search_locations[0], "test", "test_data")
    yield cache_folder() / "downloads"


def download(corpus: NamedCorpus, progress: bool = False) -> Path:
    """The corpus's file: the one on this computer, or fetched whole from its publisher."""
    found = find(corpus)
    if found is not None:
        return found[0]
    file = corpus.downloadable
    if file is None or file.url is None:
        raise DownloadError(
            f"'{corpus.name}' is not published as a file to download; {put_it_here(corpus)}"
        )

    import pooch  # slow to import
    import requests

    pooch.get_logger().setLevel(logging.ERROR)
    folder = cache_folder() / "downloads"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".partial-", dir=folder) as temporary:
            fetched = Path(
                pooch.retrieve(
                    file.url,
                    known_hash=None,  # checked below, because pooch does not know git's digests
                    fname="download",
                    path=temporary,
                    downloader=pooch.HTTPDownloader(progressbar=progress, timeout=30),
                )
            )
            if not matches(fetched, file.digest):
                kind = file.digest.partition(":")[0]
                raise DownloadError(
                    f"{file.url}: what was downloaded is not the expected file (digest "
                    f"{digest_of(fetched, kind)}, expected {file.digest}); nothing was kept, "
                    f"try again, or {put_it_here(corpus)}"
                )
            target = folder / file.filename
            os.replace(fetched, target)
    except requests.RequestException as error:
        raise DownloadError(
            f"{file.url}: could not be downloaded ({_reason(error)}); "
            f"check the network and try again, or {put_it_here(corpus)}"
        ) from None
    except OSError as error:
        raise DownloadError(f"{folder}: cannot be written ({error.strerror or error})") from None
    return target


def _reason(error: Exception) -> str:
    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answered {response.status_code} {response.reason}"
    return {
        "ConnectionError": "no connection",
        "ConnectTimeout": "no answer in time",
        "ReadTimeout": "no answer in time",
        "ChunkedEncodingError": "the connection was cut",
    }.get(type(error).__name__, str(error))
