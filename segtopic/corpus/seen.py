"""Ids in, whether each came before out; the one thing kept for every document of a corpus.

A set of a million ids takes some 90 MB, and a set of their hashes 65 MB. Here an id takes eight
bytes: those that came long ago are a sorted array of hashes, and only the latest are in a set.

>>> seen = SeenIds()
>>> [seen.add(each) for each in ("a", "b", "a")]
[True, True, False]
"""

from array import array
from bisect import bisect_left

import numpy as np

# Sorting in so many at once takes a few milliseconds for each million ids that came before.
MOST_LATEST = 1 << 14


class SeenIds:
    """Remembers ids by 64-bit hashes, of which no two are equal by chance in any real corpus."""

    def __init__(self) -> None:
        self._latest: set[int] = set()
        self._earlier = array("q")  # sorted

    def add(self, document_id: str) -> bool:
        """Remember an id; ``False`` if it was known."""
        key = hash(document_id)
        if key in self._latest:
            return False
        earlier = self._earlier
        place = bisect_left(earlier, key)
        if place < len(earlier) and earlier[place] == key:
            return False
        self._latest.add(key)
        if len(self._latest) == MOST_LATEST:
            self._sort_in()
        return True

    def _sort_in(self) -> None:
        self._earlier.extend(self._latest)
        self._latest.clear()
        np.frombuffer(self._earlier, dtype=np.int64).sort(kind="stable")  # in place
