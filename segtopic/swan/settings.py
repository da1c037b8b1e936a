"""What a sequence-to-sequence model is made of, and how it is trained; see ``config/swan.py``."""

from segtopic.config.swan import SwanSettings, SwanTraining

__all__ = ["SwanSettings", "SwanTraining"]
