"""Training with Lightning: settings in, a finished run folder out."""

from segtopic.training.train import train

__all__ = ["train"]
