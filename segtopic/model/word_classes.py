"""Classes of words that stand beside the same words: pairs in, a class for each word out.

What comes before and after a word tells what it is: "smith" and "johnson" follow first names,
"said" and "asked" the names of people. The neighbours of each word are reduced to a few dimensions,
in which k-means finds the classes.
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy import sparse

from segtopic.corpus.documents import IntArray

FloatArray = np.ndarray[tuple[int], np.dtype[np.float64]]

N_DIMENSIONS = 40
N_ROUNDS = 30  # of k-means; then next to no word moves any more
TRUST = 0.1  # vectors that are this much of the usual length count half


def number_of_classes(vocabulary_size: int) -> int:
    """As many as there are words in a class: then a word needs the fewest logits."""
    return max(round(vocabulary_size**0.5), 1)


class Pairs(NamedTuple):
    """Words that stand side by side, and how often."""

    first: IntArray
    second: IntArray
    times: IntArray


def word_classes(pairs: Pairs, counts: IntArray) -> IntArray:
    """``(V,)`` numbers from 0 on; no class is empty.

    Args:
        pairs: each once.
        counts: ``(V,)`` of the words; frequent ones decide what the classes are.
    """
    n_classes = number_of_classes(len(counts))
    class_of = np.arange(len(counts)) % n_classes  # where nothing is known of a word
    neighbours = _neighbours(pairs, len(counts))
    known = np.flatnonzero(np.diff(neighbours.indptr))
    if len(known) > max(n_classes, N_DIMENSIONS):
        weights = np.sqrt(counts[known])
        class_of[known] = _clustered(neighbours[known], weights, n_classes)
    return _none_empty(class_of, n_classes)


def _neighbours(pairs: Pairs, size: int) -> sparse.csr_array:
    """``(V, 2 V)``: how often each word stands before and after the others, on a log scale; those
    that stand beside everything count for less."""
    counts = np.log1p(pairs.times)
    before = sparse.csr_array((counts, (pairs.second, pairs.first)), shape=(size, size))
    both = sparse.hstack([before, before.T], format="csr")
    return both @ sparse.diags_array(1 / np.sqrt(both.sum(0) + 1))


def _clustered(vectors: sparse.csr_array, weights: FloatArray, n_classes: int) -> IntArray:
    # Imported here: only a training finds classes, and scikit-learn is slow to import.
    from sklearn.cluster import KMeans
    from sklearn.decomposition import TruncatedSVD
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    # With several threads, sums would be added in whatever order they are finished.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different words than classes
        reduced = TruncatedSVD(N_DIMENSIONS, random_state=0).fit_transform(vectors)
        lengths = np.linalg.norm(reduced, axis=1, keepdims=True)
        directions = reduced / (lengths + TRUST * np.median(lengths))
        clusters = KMeans(n_classes, n_init=1, max_iter=N_ROUNDS, random_state=0)
        return np.asarray(clusters.fit(directions, sample_weight=weights).labels_, dtype=np.int64)


def _none_empty(class_of: IntArray, n_classes: int) -> IntArray:
    """Empty classes take half of the largest one.

    >>> _none_empty(np.array([0, 0, 2, 0]), 3).tolist()
    [0, 1, 2, 0]
    """
    for empty in np.setdiff1d(np.arange(n_classes), class_of):
        largest = np.flatnonzero(class_of == np.bincount(class_of).argmax())
        class_of[largest[1::2]] = empty
    return class_of
