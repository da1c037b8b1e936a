"""LDA by collapsed Gibbs sampling with an optimised prior: training documents in.

For the topics see :mod:`segtopic.model.lda`; for theta of new documents, ``fold_in``.
"""

from functools import partial

from segtopic.corpus.documents import Documents
from segtopic.evaluate.baselines.fold_in import fold_in
from segtopic.evaluate.baselines.lda import Lda
from segtopic.model.lda import sample_topics


def fit_tomotopy(
    train: Documents,
    vocabulary_size: int,
    topics: int,
    eta: float,
    iterations: int = 400,
    states: int = 5,
    iterations_between: int = 25,
    seed: int = 0,
) -> Lda:
    """Sample ``iterations`` times, then average ``states`` states of the chain."""
    found = sample_topics(
        train, vocabulary_size, topics, eta, iterations, states, iterations_between, seed
    )
    return Lda(found.topics, partial(fold_in, found.topics, found.alpha))
