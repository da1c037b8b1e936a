"""Numbers as dots: PNG files as base64."""

import base64
import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

WHITE, BLACK, BLUE = (255, 255, 255), (16, 20, 28), (22, 66, 140)
Colour = tuple[int, int, int]


def spectrogram(features: NDArray[np.floating]) -> str:
    """``(T, F)`` features as grey: time across, the first numbers at the bottom."""
    if not features.size:
        return _as_png(np.zeros((1, 1)), BLACK)
    low, high = (float(np.quantile(features, share)) for share in (0.02, 0.98))
    return _as_png((features.T[::-1] - low) / max(high - low, 1e-9), BLACK)


def posterior(emission: NDArray[np.floating]) -> str:
    """``(T', T)`` probabilities as blue: time across, the first output at the top.

    The shade is the square root, so that a small probability is still seen.
    """
    return _as_png(np.sqrt(emission.T.clip(0, 1)), BLUE)


def _as_png(shades: NDArray[np.floating], dark: Colour) -> str:
    """Zero is white, one is dark."""
    ramp = np.linspace(WHITE, dark, 256).round().astype(np.uint8)
    image = Image.fromarray((255 * shades.clip(0, 1)).astype(np.uint8)).convert("P")
    image.putpalette(ramp.tobytes())
    file = io.BytesIO()
    image.save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()
