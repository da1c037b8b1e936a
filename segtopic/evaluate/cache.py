"""Results that took long: a key in, the stored result or a newly computed one out.

Each result is a file of its own, named by the digest of its key and written under a temporary name
first. Whatever is interrupted goes on after the last whole file. A file that cannot be read, or
that belongs to another key, is computed again. Nothing is ever unpickled.
"""

import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from segtopic.corpus.documents import IntArray
from segtopic.evaluate.heldout import FloatArray
from segtopic.files import content_digest


@dataclass(frozen=True)
class WordScores:
    """What a fitted model says about the development and the test words.

    Attributes:
        dev: ``(N_dev,)`` log probability of each scored word.
        test: ``(N_test,)`` the same for the test documents.
        seconds: How long it took to fit.
        top_words: ``(K, n)`` the best words of each topic; ``(0, 0)`` without topics.
    """

    dev: FloatArray
    test: FloatArray
    seconds: float
    top_words: IntArray


class ResultCache:
    """A folder of results; without a folder, everything is computed."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def get(self, key: Mapping[str, Any], compute: Callable[[], WordScores]) -> WordScores:
        """The result that belongs to the key, from the folder or computed and stored there."""
        if self.folder is None:
            return compute()
        written_key = json.dumps(key, sort_keys=True)
        path = self.folder / f"{content_digest(key).partition(':')[2][:24]}.npz"
        stored = _read(path, written_key)
        if stored is None:
            stored = compute()
            _write(path, written_key, stored)
        return stored


def _read(path: Path, key: str) -> WordScores | None:
    try:
        # Opened here, because numpy leaves a file that it cannot read open.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            if str(arrays["key"]) != key:
                return None
            return WordScores(
                arrays["dev"], arrays["test"], float(arrays["seconds"]), arrays["top_words"]
            )
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, LookupError, TypeError, ValueError):
        return None


def _write(path: Path, key: str, scores: WordScores) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # The same file system, so that the renaming is one step; .npz is added to other names.
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".npz")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(
                file,
                key=np.array(key),
                dev=scores.dev,
                test=scores.test,
                seconds=np.array(scores.seconds),
                top_words=scores.top_words,
            )
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
