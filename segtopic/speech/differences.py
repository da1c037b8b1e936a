"""First and second differences of features in time, as Kaldi's ``add-deltas`` makes them."""

import numpy as np
from numpy.typing import NDArray

REACH = 2  # inputs to either side


def with_differences(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """``(T, F)`` to ``(T, 3 F)``: the features, their slope in time, and the slope's slope.

    The slope is that of the straight line through five neighbours; before the first and after the
    last input these are repeated.

    >>> line = np.arange(9, dtype=np.float32)[:, None]
    >>> with_differences(line)[4].round(6).tolist()  # in the middle of a line the slope is one
    [4.0, 1.0, 0.0]
    """
    if not len(features):
        return np.zeros((0, 3 * features.shape[1]), np.float32)
    weights = np.arange(-REACH, REACH + 1, dtype=np.float64)
    weights /= (weights**2).sum()
    # The slope's slope as one sum over nine neighbours, so that edges are repeated once.
    twice = np.convolve(weights, weights)
    differences = [_weighted(features, weights), _weighted(features, twice)]
    return np.hstack([features, *differences]).astype(np.float32)


def _weighted(features: NDArray[np.float32], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    reach = len(weights) // 2
    padded = np.pad(features.astype(np.float64), ((reach, reach), (0, 0)), mode="edge")
    neighbours = np.lib.stride_tricks.sliding_window_view(padded, len(weights), axis=0)
    return neighbours @ weights
