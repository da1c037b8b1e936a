"""How well topics' words belong together: a model and its training documents in, figures out.

Everything is judged by the same ten words a topic, ranked in the same way: segtopic's topics, by
any definition, and those of LDA with the same number of topics on the same documents.
"""

from collections.abc import Callable, Collection
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from segtopic.config import Definition, Rank
from segtopic.corpus.documents import Documents, IntArray
from segtopic.evaluate.baselines.gensim_lda import fit_gensim
from segtopic.evaluate.baselines.lda import Lda
from segtopic.evaluate.baselines.tomotopy_lda import fit_tomotopy
from segtopic.model.topic_model import TopicModel
from segtopic.runs.view import TopicView
from segtopic.segment.segmented import FloatArray
from segtopic.topics.definitions import DEFINITIONS
from segtopic.topics.mentions import topic_weights, word_mentions
from segtopic.topics.phrases import first_word_log_probabilities
from segtopic.topics.ranking import top_words
from segtopic.topics.shares import topic_shares

LDA_ETAS = (0.02, 0.1)  # priors of words in topics
GENSIM_PASSES = 15

Progress = Callable[[str, int], None]


@torch.no_grad()
def model_top_words(
    model: TopicModel,
    documents: Documents,
    definition: Definition,
    rank: Rank,
    view: TopicView | None = None,
) -> IntArray:
    """``(K, 10)`` the words that stand for each topic, by number; of a view, in its order."""
    theta = topic_shares(model, documents)
    shares, vectors = theta, DEFINITIONS[definition](theta)
    if view is not None:
        shares, vectors = view.shares(theta), view.mixtures(theta) @ vectors
    vectors = torch.cat([vectors, theta.mean(0, keepdim=True)])
    words = first_word_log_probabilities(model, vectors)
    weights = topic_weights(shares.double().numpy())
    return best_words(rank, words[:-1], words[-1], documents, weights)


def definitions_top_words(
    model: TopicModel, documents: Documents, rank: Rank
) -> dict[str, IntArray]:
    """The same for every definition."""
    return {name: model_top_words(model, documents, name, rank) for name in DEFINITIONS}


class FittedLda(NamedTuple):
    """LDA with what it says of the documents that it was fitted to."""

    topics: Tensor  # (K, V)
    shares: FloatArray  # (D, K)
    weights: FloatArray  # (D, K) by which documents belong to topics

    @classmethod
    def of(cls, lda: Lda, documents: Documents) -> "FittedLda":
        shares = lda.infer(documents).astype(np.float64)
        return cls(torch.from_numpy(lda.topics).double(), shares, topic_weights(shares))

    def by_shares(self) -> "FittedLda":
        """The same without roots of the shares, which are less sharp than segtopic's."""
        return self._replace(weights=self.shares)

    def best_words(self, rank: Rank, documents: Documents, n_words: int = 10) -> IntArray:
        """``(K, n)``, as segtopic's."""
        average = torch.from_numpy(self.shares.mean(0)) @ self.topics
        in_topics, on_average = self.topics.log(), average.log()
        return best_words(rank, in_topics, on_average, documents, self.weights, n_words)


def fitted_ldas(
    documents: Documents,
    vocabulary_size: int,
    n_topics: int,
    progress: Progress,
    libraries: Collection[str] = ("gensim", "tomotopy"),
    seed: int = 0,
) -> dict[str, FittedLda]:
    """LDA by gensim and by tomotopy, with a weak and a strong prior."""
    fits: dict[str, Callable[[float], Lda]] = {
        "gensim": lambda eta: fit_gensim(
            documents, vocabulary_size, n_topics, eta, passes=GENSIM_PASSES, seed=seed
        ),
        "tomotopy": lambda eta: fit_tomotopy(documents, vocabulary_size, n_topics, eta, seed=seed),
    }
    found: dict[str, FittedLda] = {}
    for library in libraries:
        for eta in LDA_ETAS:
            progress(f"LDA, {library}", len(found))
            found[f"LDA, {library}, eta {eta}"] = FittedLda.of(fits[library](eta), documents)
    return found


def best_words(
    rank: Rank,
    in_topics: Tensor,
    on_average: Tensor,
    documents: Documents,
    weights: FloatArray,
    n_words: int = 10,
) -> IntArray:
    """``(K, n)`` from log probabilities, and from ``(D, K)`` weights of topics in documents."""
    mentions = word_mentions(documents, in_topics.shape[1], weights)
    words: IntArray = top_words(rank, in_topics, on_average, mentions, n_words).numpy()
    return words
