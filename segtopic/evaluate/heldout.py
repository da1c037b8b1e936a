"""What is predicted from what: documents in, an observed and a scored part and their scores out.

Every model that is compared sees the same observed words, from which it infers what the document is
about, and is scored on the same remaining words. A span that is cut between the parts goes on as a
span of its own: its first scored word has no neighbour before it, for every model.

>>> held_out = HeldOut.of(Documents.from_lists([[[4, 2], [7]], [], [[2, 2, 2, 9]]]))
>>> held_out.observed.to_lists(), held_out.scored.to_lists()
([[[4, 2]], [], [[2, 2, 2]]], [[[7]], [], [[9]]])
>>> scores = held_out.scores(np.array([-1.0, -2.0]))
>>> scores.log_likelihood.tolist(), scores.words.tolist(), scores.per_word
([-1.0, 0.0, -2.0], [1, 0, 1], -1.5)
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from segtopic.corpus.documents import Documents, IntArray

FloatArray = np.ndarray[Any, np.dtype[np.floating[Any]]]
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class DocumentScores:
    """What a model says about the scored words of each document.

    Attributes:
        log_likelihood: ``(D,)`` sum over the document's scored words, in nats; 0 without any.
        words: ``(D,)`` how many they are.
    """

    log_likelihood: FloatArray
    words: IntArray

    def __post_init__(self) -> None:
        if self.log_likelihood.shape != self.words.shape or self.words.ndim != 1:
            raise ValueError(
                f"one log likelihood and one number of words per document are needed, not "
                f"{self.log_likelihood.shape} and {self.words.shape}"
            )

    @property
    def per_word(self) -> float:
        """Mean over all scored words; documents count by their words. NaN without any word."""
        words = int(self.words.sum())
        return float(self.log_likelihood.sum() / words) if words else float("nan")


@dataclass(frozen=True)
class HeldOut:
    """Documents cut in two; both parts have the same number of documents."""

    observed: Documents
    scored: Documents

    @classmethod
    def of(cls, documents: Documents, share: float = 0.75) -> "HeldOut":
        """Observe the first ``share`` of every document's words, score the rest."""
        if not 0 <= share < 1:
            raise ValueError(f"the observed share is {share}, but must be at least 0 and below 1")
        return cls(*documents.observed_and_scored(share))

    @cached_property
    def document_of_word(self) -> IntArray:
        """``(N,)`` the document of each scored word."""
        return np.repeat(np.arange(self.scored.n_documents), self.scored.words_per_document)

    @cached_property
    def continues(self) -> BoolArray:
        """``(N,)`` whether a scored word has a neighbour before it in its span."""
        return continuation_words(self.scored)

    def scores(
        self, log_probabilities: FloatArray, chosen: BoolArray | None = None
    ) -> DocumentScores:
        """Add up ``(N,)`` log probabilities per document, of the chosen words or of all."""
        if log_probabilities.shape != (self.scored.n_words,):
            raise ValueError(
                f"{self.scored.n_words} scored words need as many log probabilities, "
                f"not {log_probabilities.shape}"
            )
        document, n_documents = self.document_of_word, self.scored.n_documents
        if chosen is not None:
            document, log_probabilities = document[chosen], log_probabilities[chosen]
        sums = np.bincount(document, log_probabilities, n_documents).astype(np.float64)
        return DocumentScores(sums, np.bincount(document, minlength=n_documents))


def continuation_words(documents: Documents) -> BoolArray:
    """``(N,)`` whether a word has a neighbour before it in its span."""
    continues = np.ones(documents.n_words, dtype=bool)
    starts = np.cumsum(documents.span_lengths, dtype=np.int64) - documents.span_lengths
    continues[starts] = False
    return continues
