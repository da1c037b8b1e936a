"""A map of topics: distributions of words in, a place and a hue for each out.

Topics with the same words lie close together: their distance is the square root of the
Jensen-Shannon divergence, and classical scaling finds the plane that keeps the squared distances
best. Hues go round the map, so that neighbours look alike; a large topic is further from its
neighbours, because there is more to tell apart.
"""

import numpy as np
from scipy.special import entr
from sklearn.manifold import ClassicalMDS

from segtopic.corpus.documents import IntArray
from segtopic.segment.segmented import FloatArray


def map_topics(by_topic: FloatArray, shares: FloatArray) -> tuple[FloatArray, IntArray]:
    """``(K, 2)`` places between 0 and 1, and ``(K,)`` hues in degrees.

    Args:
        by_topic: ``(K, V)`` distributions of words.
        shares: ``(K,)`` of the topics in the documents.
    """
    places = np.zeros((len(by_topic), 2))  # one topic alone has no directions
    scaling = ClassicalMDS(n_components=2, metric="precomputed")
    found = scaling.fit_transform(np.sqrt(divergences(by_topic)))
    places[:, : found.shape[1]] = found
    from_centre = places - places.mean(0)
    angles = np.arctan2(from_centre[:, 1], from_centre[:, 0])
    round_the_map = np.argsort(angles, kind="stable")
    widths = np.sqrt(shares[round_the_map])
    hues = np.empty(len(places), dtype=np.int64)
    hues[round_the_map] = np.round(360 * (np.cumsum(widths) - widths / 2) / widths.sum())
    extent = np.ptp(places, axis=0).max()
    unit = (places - places.min(0)) / extent if extent > 0 else np.full_like(places, 0.5)
    return unit, hues


def divergences(by_topic: FloatArray) -> FloatArray:
    """``(K, K)`` Jensen-Shannon divergences in nats, between 0 and log 2."""
    entropies = entr(by_topic).sum(1)
    result = np.zeros((len(by_topic), len(by_topic)))
    for number, words in enumerate(by_topic):
        middle = entr((by_topic + words) / 2).sum(1)
        result[number] = middle - (entropies + entropies[number]) / 2
    symmetric: FloatArray = (result + result.T).clip(min=0) / 2
    np.fill_diagonal(symmetric, 0)
    return symmetric
