"""A memory of the document's own words over another model: what segtopic's burstiness is to it.

After ``n`` observed words of which ``c`` were ``w``, a Polya urn draws

    p(w | d) = (a p_base(w | d) + c) / (a + n).

The scored words stay outside the urn, as they do for segtopic. With ``a`` to infinity it is the
base.

>>> held_out = HeldOut.of(Documents.from_lists([[[0, 1, 0, 0]]]))
>>> seen = ObservedWords.of(held_out, vocabulary_size=2)
>>> seen.same.tolist(), seen.all.tolist()
([2], [3])
>>> float(np.exp(seen.drawn(np.log([0.5]), 2.0))[0])
0.6
"""

from dataclasses import dataclass

import numpy as np

from segtopic.corpus.documents import Documents, IntArray
from segtopic.evaluate.heldout import FloatArray, HeldOut
from segtopic.model.lookup import at, find


@dataclass(frozen=True)
class ObservedWords:
    """What stands in the observed part of each scored word's document.

    Attributes:
        same: ``(N,)`` how often the word itself.
        all: ``(N,)`` how many words.
    """

    same: IntArray
    all: IntArray

    @classmethod
    def of(cls, held_out: HeldOut, vocabulary_size: int) -> "ObservedWords":
        """Count."""
        keys, counts = np.unique(_keys(held_out.observed, vocabulary_size), return_counts=True)
        wanted = _keys(held_out.scored, vocabulary_size)
        same = at(counts, find(keys, wanted)).numpy()
        return cls(same, held_out.observed.words_per_document[held_out.document_of_word])

    def drawn(self, base: FloatArray, concentration: float) -> FloatArray:
        """``(N,)`` log probabilities, from those of the base model."""
        if not concentration > 0:
            raise ValueError(f"the concentration is {concentration}, but must be above 0")
        drawn: FloatArray = np.log(self.same / concentration + np.exp(base)) - np.log1p(
            self.all / concentration
        )
        return drawn


def _keys(documents: Documents, vocabulary_size: int) -> IntArray:
    """One number for each word and its document."""
    document = np.repeat(np.arange(documents.n_documents), documents.words_per_document)
    return document * vocabulary_size + documents.words.astype(np.int64)
