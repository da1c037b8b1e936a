"""``run.json``: the results of a run, and digests by which a changed file is noticed.

A flipped bit in the weights, or in a word, would make every answer a little wrong and none of them
impossible. So the file names the digest of each other file, and one of its own content.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from segtopic.errors import RunError
from segtopic.files import content_digest, digest_of, matches, write_atomically
from segtopic.runs.folder import CONFIG, KINDS, TOPICS, UNREADABLE, RunKind, check_kind

RUN = "run.json"
REMEDY = "bring back a copy, or train again with --overwrite"


class Seal(NamedTuple):
    """What ``run.json`` says."""

    version: int
    results: dict[str, Any]
    files: dict[str, str]  # digests by name


def save_results(folder: Path, results: Mapping[str, Any], kind: RunKind = TOPICS) -> None:
    """``run.json``; it is written last, so a folder that has it is complete."""
    there = [name for name in kind.sealed if (folder / name).exists()]
    write_atomically(folder / RUN, sealed(results, folder, there, kind))


def sealed(
    results: Mapping[str, Any], folder: Path, names: Sequence[str], kind: RunKind = TOPICS
) -> str:
    """The text of ``run.json`` for these results and files of the folder."""
    content = {
        "format": kind.format,
        "format_version": kind.version,
        **{name: value for name, value in results.items() if name not in _OWN},
        "files": {name: digest_of(folder / name) for name in names},
    }
    return json.dumps({**content, "digest": content_digest(content)}, indent=2) + "\n"


def unsealed(folder: Path, checked_later: Sequence[str] = (), kind: RunKind = TOPICS) -> Seal:
    """The content of ``run.json``, if the folder is as the training left it.

    Files that are large and not always needed may be checked later, by :func:`check_file`.
    """
    path = folder / RUN
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        version = content["format_version"]
        formats = {each.format: each for each in KINDS}
        check_kind(folder, kind, formats.get(content.get("format", kind.format)))
        if version in kind.readable:
            digest = content.pop("digest")
            if digest != content_digest(content):
                raise ValueError("its content has another digest")
            files = dict(content["files"])
    except FileNotFoundError:
        raise RunError(
            f"{folder}: the training has not finished; go on with "
            f"'segtopic {kind.command} --config {folder / CONFIG} --out {folder} --resume'"
        ) from None
    except UNREADABLE as error:
        raise RunError(f"{path}: is damaged ({error!r}); {REMEDY}") from None
    if version not in kind.readable:
        raise RunError(
            f"{folder}: has format version {version}, this segtopic reads {kind.version}; "
            "train again, or use the segtopic that made it"
        )
    for name, expected in files.items():
        if name not in checked_later:
            check_file(folder / name, expected)
    results = {name: value for name, value in content.items() if name not in _OWN}
    return Seal(version, results, files)


def check_file(path: Path, expected: str) -> None:
    """Refuse a file that is not as the training left it."""
    try:
        if not matches(path, expected):
            raise RunError(f"{path}: has changed since the training; {REMEDY}")
    except FileNotFoundError:
        raise RunError(f"{path}: is missing; {REMEDY}") from None
    except OSError as error:
        raise RunError(f"{path}: cannot be read ({error.strerror}); {REMEDY}") from None


_OWN = ("format", "format_version", "files", "digest")
