"""Every word by its frequency: ``u(w) = (c(w) + a) / (N + a V)``. What any model has to beat.

>>> model = Unigram.fit(Documents.from_lists([[[0, 0], [1]]]), vocabulary_size=3, smoothing=1.0)
>>> model.probabilities.round(3).tolist()
[0.5, 0.333, 0.167]
"""

from dataclasses import dataclass

import numpy as np

from segtopic.corpus.documents import Documents
from segtopic.evaluate.heldout import FloatArray, HeldOut


@dataclass(frozen=True)
class Unigram:
    """``probabilities``: ``(V,)``, the same for every document."""

    probabilities: FloatArray

    @classmethod
    def fit(cls, train: Documents, vocabulary_size: int, smoothing: float = 1.0) -> "Unigram":
        """Count the training words and add ``smoothing`` to each count."""
        if not smoothing > 0:
            raise ValueError(f"smoothing is {smoothing}, but must be above 0 for unseen words")
        counts = train.word_counts(vocabulary_size) + float(smoothing)
        return cls(counts / counts.sum())

    def word_log_probabilities(self, held_out: HeldOut) -> FloatArray:
        """See :class:`segtopic.evaluate.baselines.baseline.Baseline`."""
        log_probabilities: FloatArray = np.log(self.probabilities)[held_out.scored.words]
        return log_probabilities
