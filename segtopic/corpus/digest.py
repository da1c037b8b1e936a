"""Digests of files: ``sha256:...`` and ``gitblob:...`` (what git calls a file's content)."""

import hashlib
from pathlib import Path


def digest_of(path: Path, kind: str = "sha256") -> str:
    """The digest of a file, with its kind in front."""
    if kind == "sha256":
        digest = hashlib.sha256()
    else:
        # SHA-1 because git names its objects so; it guards against damage, not against forgery.
        digest = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return f"{kind}:{digest.hexdigest()}"


def matches(path: Path, expected: str) -> bool:
    """Whether a file has the digest that it should have."""
    return digest_of(path, expected.partition(":")[0]) == expected
