"""What a sequence-to-sequence model is made of; see :mod:`segtopic.config.swan`."""

from segtopic.config.swan import SwanSettings

__all__ = ["SwanSettings"]
