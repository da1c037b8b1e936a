"""Which documents are copies of others: the words of a corpus in, groups of copies out.

Two documents are copies if they have the same words in the same order, and nearly so if their runs
of three words overlap (Jaccard) by at least :data:`OVERLAP`. The model's words count: case,
punctuation, stop words and HTML make no difference.

Pairs that may overlap are found by MinHash in bands (Broder 1997; Leskovec, Rajaraman and Ullman,
*Mining of Massive Datasets*, chapter 3), and then measured, so that no pair is taken by mistake;
one that overlaps by exactly 0.7 is found with probability 0.985, by 0.8 with 0.9992. Every band is
a pass over the documents, which may be mapped from a file: a document takes some 30 bytes.

>>> table = pa.table({"words": pa.array([[1, 2, 3], [4], [1, 2, 3]], pa.large_list(pa.int32()))})
>>> find_copies(table).first.tolist()
[0, 1, 0]
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from segtopic.corpus.columns import lengths_of, values_of
from segtopic.corpus.documents import IntArray, ranges

RUN = 3  # words of a shingle
OVERLAP = 0.7
BANDS, ROWS = 10, 3
PAIRED_WORDS = 1 << 20  # of the pairs that are measured together

Hashes = np.ndarray[Any, np.dtype[np.uint64]]
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]
_odd: Hashes = np.random.default_rng(20170806).integers(
    1, 1 << 63, BANDS * ROWS + RUN, dtype=np.uint64
) | np.uint64(1)
_ORDERS, _PLACES = _odd[RUN:].reshape(BANDS, ROWS), _odd[:RUN]
_BASE = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)  # nothing is mixed from 0


class Copies(NamedTuple):
    """The copies among the documents of a corpus.

    Attributes:
        first: ``(D,)`` the first document of the group that each belongs to; itself if it is alone.
        exact: ``(D,)`` whether an earlier document has the same words.
    """

    first: IntArray
    exact: BoolArray

    @property
    def n_exact(self) -> int:
        """Documents with the words of an earlier one."""
        return int(self.exact.sum())

    @property
    def n_near(self) -> int:
        """Further documents that are nearly like an earlier one."""
        return int((self.first != np.arange(len(self.first))).sum()) - self.n_exact


def find_copies(table: pa.Table) -> Copies:
    """Copies among documents, given a table with their ``words``."""
    whole = np.concatenate([np.empty(0, np.uint64), *map(_whole_hashes, _columns(table))])
    first = _first_of_equals(whole)
    exact = first != np.arange(len(first))
    for band in range(BANDS):
        keys = [_band_keys(column, _ORDERS[band]) for column in _columns(table)]
        joined = np.concatenate([np.empty(0, np.uint64), *keys])
        candidates = np.flatnonzero((joined != 0) & ~exact)
        partner = candidates[_first_of_equals(joined[candidates])]
        untold = first[candidates] != first[partner]
        pairs = np.stack([partner[untold], candidates[untold]], axis=1)
        first = _united(first, pairs[_overlap(table, pairs) >= OVERLAP])
    return Copies(first, exact)


def _columns(table: pa.Table) -> Iterator[pa.Array]:
    return (batch["words"] for batch in table.to_batches())


def _first_of_equals(keys: Hashes) -> IntArray:
    """``(D,)`` the first place that holds the same key."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return first[inverse.reshape(-1)]


def _whole_hashes(column: pa.Array) -> Hashes:
    """A hash of all words of each document in their order."""
    words, lengths = values_of(column), lengths_of(column)
    powers = np.multiply.accumulate(np.full(int(lengths.max(initial=0)), _BASE))
    places = ranges(np.zeros(len(lengths), dtype=np.int64), lengths)
    return _per_document(np.add, _mixed(words.astype(np.uint64) + _ONE) * powers[places], lengths)


def _band_keys(column: pa.Array, multipliers: Hashes) -> Hashes:
    """A hash of the least of the shingles in each of some orders; 0 for too short documents."""
    shingles, lengths = _shingles(column)
    keys: Hashes = np.zeros(len(lengths), dtype=np.uint64)
    for multiplier in multipliers:
        keys = _mixed(keys ^ _per_document(np.minimum, shingles * multiplier, lengths))
    keys[lengths == 0] = 0
    return keys


def _shingles(column: pa.Array) -> tuple[Hashes, IntArray]:
    """The hashes of all runs of three words, and how many each document has."""
    words, lengths = values_of(column).astype(np.uint64) + _ONE, lengths_of(column)
    counts = np.maximum(lengths - (RUN - 1), 0)
    runs: Hashes = np.zeros(max(len(words) - (RUN - 1), 0), dtype=np.uint64)
    for place, weight in enumerate(_PLACES):
        runs += words[place : place + len(runs)] * weight
    # Some runs begin in one document and end in the next.
    return _mixed(runs[ranges(np.cumsum(lengths) - lengths, counts)]), counts


def _per_document(reduce: np.ufunc, values: Hashes, lengths: IntArray) -> Hashes:
    """The values of each document reduced to one; 0 for a document without any."""
    reduced: Hashes = np.zeros(len(lengths), dtype=np.uint64)
    filled = lengths > 0
    if filled.any():
        reduced[filled] = reduce.reduceat(values, (np.cumsum(lengths) - lengths)[filled])
    return reduced


def _overlap(table: pa.Table, pairs: IntArray) -> np.ndarray[Any, np.dtype[np.float64]]:
    """``(P,)`` the Jaccard similarity of the shingles of ``(P, 2)`` documents."""
    if not len(pairs):
        return np.empty(0)
    sizes = np.concatenate([lengths_of(column) for column in _columns(table)])[pairs].sum(1)
    blocks = np.cumsum(sizes) // PAIRED_WORDS
    cuts = np.flatnonzero(np.diff(blocks)) + 1
    return np.concatenate([_overlap_of_few(table, part) for part in np.split(pairs, cuts)])


def _overlap_of_few(table: pa.Table, pairs: IntArray) -> np.ndarray[Any, np.dtype[np.float64]]:
    documents, inverse = np.unique(pairs, return_inverse=True)
    hashes, counts = _distinct_shingles(table, documents)
    offsets = np.cumsum(counts) - counts
    sides = inverse.reshape(pairs.shape)
    pair_of = np.concatenate([np.repeat(np.arange(len(pairs)), counts[side]) for side in sides.T])
    values = np.concatenate([hashes[ranges(offsets[side], counts[side])] for side in sides.T])
    order = np.lexsort((values, pair_of))
    values, pair_of = values[order], pair_of[order]
    same = (values[1:] == values[:-1]) & (pair_of[1:] == pair_of[:-1])
    shared = np.bincount(pair_of[1:][same], minlength=len(pairs))
    overlap: np.ndarray[Any, np.dtype[np.float64]] = shared / (counts[sides].sum(1) - shared)
    return overlap


def _distinct_shingles(table: pa.Table, documents: IntArray) -> tuple[Hashes, IntArray]:
    """The different shingles of sorted documents, one document after the other."""
    parts, before = [], 0
    for column in _columns(table):
        low, high = np.searchsorted(documents, (before, before + len(column)))
        if low < high:
            parts.append(_shingles(column.take(pa.array(documents[low:high] - before))))
        before += len(column)
    hashes = np.concatenate([found for found, _ in parts])
    owner = np.repeat(np.arange(len(documents)), np.concatenate([counts for _, counts in parts]))
    order = np.lexsort((hashes, owner))
    hashes, owner = hashes[order], owner[order]
    new = np.ones(len(hashes), dtype=bool)
    new[1:] = (hashes[1:] != hashes[:-1]) | (owner[1:] != owner[:-1])
    return hashes[new], np.bincount(owner[new], minlength=len(documents))


def _united(first: IntArray, pairs: IntArray) -> IntArray:
    """The groups after those of each pair have become one."""
    if not len(pairs):
        return first
    from scipy.sparse import coo_array  # slow to import, and most corpora hold no copies
    from scipy.sparse.csgraph import connected_components

    n_documents = len(first)
    ends = np.concatenate([np.stack([first, np.arange(n_documents)]), pairs.T], axis=1)
    graph = coo_array((np.ones(ends.shape[1], bool), tuple(ends)), (n_documents, n_documents))
    _, group = connected_components(graph, directed=False)
    return _first_of_equals(group.astype(np.uint64))


def _mixed(hashes: Hashes) -> Hashes:
    """Spreads every bit over all others (the finaliser of SplitMix64)."""
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Hashes = hashes ^ (hashes >> np.uint64(31))
    return mixed
