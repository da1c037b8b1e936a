"""Digests: of files (``sha256:...``, ``gitblob:...``), of what JSON files say, of texts.

>>> content_digest({"a": 1, "b": 2}) == content_digest({"b": 2, "a": 1})
True
>>> len(text_digest("a text")), text_digest("a text") == text_digest("A text")
(16, False)
"""

import hashlib
import json
from pathlib import Path
from typing import Any

TEXT_BYTES = 16  # of a text's digest: among a billion texts two differ, as surely as need be


def digest_of(path: Path, kind: str = "sha256") -> str:
    """The digest of a file, with its kind in front."""
    with path.open("rb") as file:
        if kind == "sha256":
            return f"{kind}:{hashlib.file_digest(file, kind).hexdigest()}"
        # What git calls a file's content. SHA-1 because git names its objects so; it guards
        # against damage, not against forgery.
        git = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
        return f"{kind}:{hashlib.file_digest(file, lambda: git).hexdigest()}"


def digest_of_bytes(content: bytes) -> str:
    """What :func:`digest_of` says of a file with this content."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def matches(path: Path, expected: str) -> bool:
    """Whether a file has the digest that it should have."""
    return digest_of(path, expected.partition(":")[0]) == expected


def content_digest(content: Any) -> str:
    """The digest of what JSON says, however it is laid out."""
    text = json.dumps(content, sort_keys=True)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def text_digest(text: str) -> bytes:
    """By which a text is known again, wherever it stands."""
    return hashlib.sha256(text.encode()).digest()[:TEXT_BYTES]
