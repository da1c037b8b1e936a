"""``run.json``: the results of a run, and digests by which a changed file is noticed.

A flipped bit in the weights, or in a word, would make every answer a little wrong and none of them
impossible. So the file names the digest of each other file, and one of its own content.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from segtopic.corpus.digest import digest_of, matches
from segtopic.errors import RunError

RUN = "run.json"
FORMAT, FORMAT_VERSION = "segtopic-run", 3


def sealed(results: Mapping[str, Any], folder: Path, names: Sequence[str]) -> str:
    """The text of ``run.json`` for these results and files of the folder."""
    content = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        **{name: value for name, value in results.items() if name not in _OWN},
        "files": {name: digest_of(folder / name) for name in names},
    }
    return json.dumps({**content, "digest": content_digest(content)}, indent=2) + "\n"


def unsealed(folder: Path) -> dict[str, Any]:
    """The content of ``run.json``, if the folder is as the training left it."""
    path = folder / RUN
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        version = content["format_version"]
        if version == FORMAT_VERSION:
            digest = content.pop("digest")
            if digest != content_digest(content):
                raise ValueError("its content has another digest")
            files = dict(content["files"])
    except FileNotFoundError:
        raise RunError(
            f"{folder}: the training has not finished; go on with "
            f"'segtopic train --config {folder / 'config.yaml'} --out {folder} --resume'"
        ) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RunError(
            f"{path}: is damaged ({error!r}); bring back a copy, or train again with --overwrite"
        ) from None
    if version != FORMAT_VERSION:
        raise RunError(
            f"{folder}: has format version {version}, this segtopic reads {FORMAT_VERSION}; "
            "train again, or use the segtopic that made it"
        )
    for name, expected in files.items():
        _check(folder / name, expected)
    return content


def _check(path: Path, expected: str) -> None:
    remedy = "bring back a copy, or train again with --overwrite"
    try:
        if not matches(path, expected):
            raise RunError(f"{path}: has changed since the training; {remedy}")
    except FileNotFoundError:
        raise RunError(f"{path}: is missing; {remedy}") from None
    except OSError as error:
        raise RunError(f"{path}: cannot be read ({error.strerror}); {remedy}") from None


def content_digest(content: Mapping[str, Any]) -> str:
    """The digest of what a JSON file says, however it is laid out."""
    text = json.dumps(content, sort_keys=True)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


_OWN = ("format", "format_version", "files", "digest")
