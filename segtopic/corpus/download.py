"""Fetch a named corpus: whole and with the right digest, or not at all.

pooch fetches into a temporary folder; only a file with the expected digest is renamed into the
cache.
"""

import logging
import os
import tempfile
from pathlib import Path

from segtopic.corpus.named import NamedCorpus, cache_folder, find, put_it_here
from segtopic.errors import DownloadError
from segtopic.files import digest_of, matches


def download(corpus: NamedCorpus, progress: bool = False) -> Path:
    """The corpus's file, from this computer if it is here, else from its publisher."""
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
