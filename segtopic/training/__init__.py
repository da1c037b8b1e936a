"""Training with Lightning, and the folder that a run leaves behind."""

from segtopic.training.folder import Run, load_run
from segtopic.training.train import train

__all__ = ["Run", "load_run", "train"]
