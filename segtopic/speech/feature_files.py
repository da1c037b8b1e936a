"""Features that somebody else has computed, in ``.npy`` files of ``(frames, numbers)``."""

from pathlib import Path

import numpy as np

from segtopic.errors import CorpusError
from segtopic.speech.recordings import Features


def read_feature_file(path: Path) -> Features:
    """At least one row of numbers, all of them finite."""
    try:
        with path.open("rb") as file:
            found = np.lib.format.read_array(file, allow_pickle=False)
    except FileNotFoundError:
        raise CorpusError(f"{path}: there is no such file") from None
    except Exception as error:  # a damaged head is parsed, and fails in many ways
        raise CorpusError(f"{path}: is no .npy file that can be read ({error})") from None
    if found.dtype.kind not in "fiu":
        raise CorpusError(f"{path}: holds something else than numbers; save an array of them")
    if found.ndim != 2 or not found.size:
        raise CorpusError(
            f"{path}: holds no rows of numbers, its shape is {found.shape}; save (frames, numbers)"
        )
    with np.errstate(over="ignore"):
        features: Features = found.astype(np.float32)
    if not np.isfinite(features).all():
        raise CorpusError(f"{path}: holds numbers that are not finite in 32 bits; compute it again")
    return features
