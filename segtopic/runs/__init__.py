"""What a finished training leaves: a folder, and the trained model in it.

Whoever only uses a model needs nothing above this layer: no trainer, no baselines.

>>> import segtopic
>>> trained = segtopic.load("runs/ap")  # doctest: +SKIP
>>> trained.model, trained.vocabulary, trained.corpus.test  # doctest: +SKIP
"""

from segtopic.runs.corpus import RunCorpus
from segtopic.runs.trained import TrainedModel, load_run

__all__ = ["RunCorpus", "TrainedModel", "load_run"]
