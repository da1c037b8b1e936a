"""How well topics' words belong together: a model and its training documents in, figures out.

Everything is judged by the same ten words a topic, ranked in the same way: segtopic's topics, by
any definition, and those of LDA with the same number of topics on the same documents.
"""

from collections.abc import Callable, Collection

import torch
from torch import Tensor

from segtopic.config import Definition, Rank
from segtopic.corpus.documents import Documents, IntArray
from segtopic.evaluate.baselines.gensim_lda import fit_gensim
from segtopic.evaluate.baselines.lda import Lda
from segtopic.evaluate.baselines.tomotopy_lda import fit_tomotopy
from segtopic.model.topic_model import TopicModel
from segtopic.runs.view import TopicView
from segtopic.topics.definitions import DEFINITIONS
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
    shares = topic_shares(model, documents)
    vectors = DEFINITIONS[definition](shares)
    if view is not None:
        vectors = view.mixtures(shares) @ vectors
    vectors = torch.cat([vectors, shares.mean(0, keepdim=True)])
    words = first_word_log_probabilities(model, vectors)
    return _best(rank, words[:-1], words[-1])


def definitions_top_words(
    model: TopicModel, documents: Documents, rank: Rank
) -> dict[str, IntArray]:
    """The same for every definition."""
    return {name: model_top_words(model, documents, name, rank) for name in DEFINITIONS}


def lda_top_words(
    documents: Documents,
    vocabulary_size: int,
    n_topics: int,
    rank: Rank,
    progress: Progress,
    libraries: Collection[str] = ("gensim", "tomotopy"),
) -> dict[str, IntArray]:
    """The same for LDA by gensim and by tomotopy, with a weak and a strong prior."""
    fits: dict[str, Callable[[float], Lda]] = {
        "gensim": lambda eta: fit_gensim(
            documents, vocabulary_size, n_topics, eta, passes=GENSIM_PASSES
        ),
        "tomotopy": lambda eta: fit_tomotopy(documents, vocabulary_size, n_topics, eta),
    }
    found: dict[str, IntArray] = {}
    for library in libraries:
        for eta in LDA_ETAS:
            progress(f"LDA, {library}", len(found))
            lda = fits[library](eta)
            topics = torch.from_numpy(lda.topics)
            average = torch.from_numpy(lda.infer(documents).mean(0)) @ topics
            found[f"LDA, {library}, eta {eta}"] = _best(rank, topics.log(), average.log())
    return found


def _best(rank: Rank, in_topics: Tensor, on_average: Tensor) -> IntArray:
    words: IntArray = top_words(rank, in_topics, on_average).numpy()
    return words
