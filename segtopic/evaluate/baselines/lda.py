"""A fitted LDA as a predictor: topics and a way to infer theta in, words' probabilities out.

    p(w | d) = sum over k of theta_dk topic_k(w),

with the mean of theta inferred from the observed words. This is the predictive likelihood; a bound
such as gensim's ``log_perplexity`` is another thing and cannot be compared.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from segtopic.corpus.documents import Documents, IntArray
from segtopic.evaluate.heldout import FloatArray, HeldOut

# Scored words whose (words, K) products are held at once.
_WORDS_AT_ONCE = 2**16


@dataclass(frozen=True)
class Lda:
    """Topics over the whole vocabulary, and theta of new documents.

    Attributes:
        topics: ``(K, V)``, rows sum to one.
        infer: Observed documents to ``(D, K)``, rows sum to one.
    """

    topics: FloatArray
    infer: Callable[[Documents], FloatArray]

    def word_log_probabilities(self, held_out: HeldOut) -> FloatArray:
        """See :class:`segtopic.evaluate.baselines.baseline.Baseline`."""
        theta = self.infer(held_out.observed)
        words, document = held_out.scored.words, held_out.document_of_word
        probabilities = np.empty(len(words))
        for begin in range(0, len(words), _WORDS_AT_ONCE):
            part = slice(begin, begin + _WORDS_AT_ONCE)
            np.einsum(
                "nk,kn->n", theta[document[part]], self.topics[:, words[part]],
                out=probabilities[part],
            )  # fmt: skip
        return np.log(probabilities)

    def top_words(self, n_words: int = 20) -> IntArray:
        """``(K, n)`` the most probable words of each topic, the best first."""
        order: IntArray = np.argsort(-self.topics, axis=1, kind="stable")[:, :n_words]
        return order
