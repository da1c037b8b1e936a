"""What a finished training leaves: a folder, and the trained model in it.

Whoever only uses a model needs nothing above this layer: no trainer, no baselines.

>>> import segtopic
>>> trained = segtopic.load("runs/ap")  # doctest: +SKIP
>>> trained.model, trained.vocabulary, trained.corpus.test  # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from segtopic.runs.corpus import RunCorpus

if TYPE_CHECKING:
    from segtopic.runs.trained import TrainedModel, load_run

__all__ = ["RunCorpus", "TrainedModel", "load_run"]


def __getattr__(name: str) -> Any:
    if name in ("TrainedModel", "load_run"):  # they need torch; the corpus of a run does not
        return getattr(import_module("segtopic.runs.trained"), name)
    raise AttributeError(f"module 'segtopic.runs' has no attribute '{name}'")
