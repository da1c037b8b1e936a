"""Files and folders that are whole or not there, known by their digests, used by one at a time."""

from segtopic.files.digests import content_digest, digest_of, matches, text_digest
from segtopic.files.whole import (
    InUse,
    held,
    name_also,
    put_in_place,
    remove_unfinished,
    unfinished_folder,
    write_atomically,
    written_atomically,
)

__all__ = [
    "InUse",
    "content_digest",
    "digest_of",
    "held",
    "matches",
    "name_also",
    "put_in_place",
    "remove_unfinished",
    "text_digest",
    "unfinished_folder",
    "write_atomically",
    "written_atomically",
]
