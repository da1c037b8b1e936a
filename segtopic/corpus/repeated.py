"""How often sequences of words came, counted with bounded memory.

All sequences of a small corpus are counted; most of those of a large one came once, and only what
came again is kept. Its documents are counted chunk by chunk; the counts of each chunk wait on disk,
sorted. Then they are merged, range after range of their keys, and what came only once is left out.
A sequence of ``l`` words is counted only if its first ``l - 1`` are kept. If very many sequences
of a length came again, the most frequent ones are kept.

>>> text = Documents.from_lists([[[5, 7], [5, 7, 5]], [[5, 7, 5, 6]]])
>>> for level in repeated_sequences(text, n_words=8, longest=3):
...     print(level.parent.tolist(), level.word.tolist(), level.count.tolist())
[5, 7] [7, 5] [3, 2]
[0] [5] [2]
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.sequences import distinct_sequences

COUNTED_WORDS = 1 << 23  # of a corpus whose sequences are all kept
LEAST_COUNT = 2
MOST_KEPT = 1 << 21  # sequences of a length
CHUNK_WORDS = 1 << 20  # that are counted at a time
MERGED = 1 << 20  # counts that are merged at a time


@dataclass(frozen=True)
class CountedSequences:
    """The sequences of one length, ordered by what they continue, then by word.

    Attributes:
        parent: ``(P,)`` number of the sequence that each continues; a word, for two words.
        word: ``(P,)`` its last word.
        count: ``(P,)`` how often it came.
    """

    parent: IntArray
    word: IntArray
    count: IntArray


def counted_sequences(
    documents: Documents, n_words: int, longest: int
) -> Iterator[CountedSequences]:
    """The sequences of 2, 3, ... ``longest`` words; of a large corpus only those that came again.

    Args:
        documents: which are counted.
        n_words: more than the largest number of a word.
        longest: words of the longest sequences.
    """
    if documents.n_words > COUNTED_WORDS:
        return repeated_sequences(documents, n_words, longest)
    levels = distinct_sequences(documents, documents.words, n_words, first=2, longest=longest)
    return (CountedSequences(level.parent, level.word, level.count) for level in levels)


def repeated_sequences(
    documents: Documents, n_words: int, longest: int
) -> Iterator[CountedSequences]:
    """Those of 2, 3, ... ``longest`` words that came again; see :func:`counted_sequences`."""
    shorter: list[IntArray] = []  # sorted keys of each length so far
    for length in range(2, longest + 1):
        with tempfile.TemporaryDirectory(prefix="segtopic-") as folder:
            for number, chunk in enumerate(documents.chunks(CHUNK_WORDS)):
                keys = _keys(chunk, n_words, length, shorter)
                counted = np.stack(np.unique(keys, return_counts=True))
                np.save(Path(folder, f"{number}.npy"), counted)
            paths = sorted(Path(folder).iterdir(), key=lambda path: int(path.stem))
            keys, counts = _most_frequent(
                *_merged([np.load(path, mmap_mode="r") for path in paths])
            )
        shorter.append(keys)
        parent, word = np.divmod(keys, n_words)
        yield CountedSequences(parent, word, counts)


def _keys(documents: Documents, n_words: int, length: int, shorter: list[IntArray]) -> IntArray:
    """What each sequence continues, and its last word, as one number."""
    starts = np.flatnonzero(documents.words_left >= length)
    history = documents.words[starts].astype(np.int64)
    for place, known in enumerate(shorter, start=1):
        wanted = history * n_words + documents.words[starts + place]
        history = np.searchsorted(known, wanted)
        found = history < len(known)
        found[found] = known[history[found]] == wanted[found]
        starts, history = starts[found], history[found]
    keys: IntArray = history * n_words + documents.words[starts + length - 1]
    return keys


def _merged(runs: list[IntArray]) -> tuple[IntArray, IntArray]:
    """Sorted keys and their counts, of ``(2, R)`` runs, where a count is at least the least."""
    n_ranges = -(-sum(run.shape[1] for run in runs) // MERGED) if runs else 0
    # Every thousandth key tells where to cut, so that no range is much larger than the others.
    some = np.sort(np.concatenate([run[0, ::1000] for run in runs] or [np.empty(0, np.int64)]))
    cuts = [some[len(some) * number // n_ranges] for number in range(1, n_ranges)]
    keys: list[IntArray] = [np.empty(0, dtype=np.int64)]
    counts: list[IntArray] = [np.empty(0, dtype=np.int64)]
    places = [np.searchsorted(run[0], cuts) for run in runs]
    for number in range(n_ranges):
        parts = [
            run[:, place[number - 1] if number else 0 : place[number] if cuts[number:] else None]
            for run, place in zip(runs, places, strict=True)
        ]
        together = np.concatenate([part[0] for part in parts])
        key, inverse = np.unique(together, return_inverse=True)
        count = np.zeros(len(key), dtype=np.int64)
        np.add.at(count, inverse, np.concatenate([part[1] for part in parts]))
        keys.append(key[count >= LEAST_COUNT])
        counts.append(count[count >= LEAST_COUNT])
    return np.concatenate(keys), np.concatenate(counts)


def _most_frequent(keys: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """At most :data:`MOST_KEPT` of the sequences; of equally frequent ones all or none."""
    if len(keys) <= MOST_KEPT:
        return keys, counts
    least = np.partition(counts, -MOST_KEPT - 1)[-MOST_KEPT - 1] + 1
    kept = counts >= least
    return keys[kept], counts[kept]
