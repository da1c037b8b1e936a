"""LDA by online variational Bayes with an optimised prior (gensim): training documents in.

Theta of new documents is the mean of gensim's own variational posterior given the observed words,
with the topics fixed at the mean of theirs.
"""

from itertools import pairwise

import numpy as np

from segtopic.corpus.documents import Documents
from segtopic.evaluate.baselines.lda import Lda
from segtopic.evaluate.heldout import FloatArray

Bags = list[list[tuple[int, float]]]


def fit_gensim(
    train: Documents,
    vocabulary_size: int,
    topics: int,
    eta: float,
    passes: int = 10,
    chunksize: int = 256,
    iterations: int = 50,
    seed: int = 0,
) -> Lda:
    """Go ``passes`` times over the documents, in chunks small enough for many updates a pass."""
    if not train.n_words:
        raise ValueError("the training documents hold no word")
    from gensim.models import LdaModel  # slow to import
    from gensim.utils import get_random_state

    model = LdaModel(
        bags_of(train, vocabulary_size),
        num_topics=topics,
        id2word={word: str(word) for word in range(vocabulary_size)},
        alpha="auto",
        eta=eta,
        passes=passes,
        chunksize=chunksize,
        iterations=iterations,
        eval_every=None,
        random_state=seed,
    )
    lambdas = model.state.get_lambda().astype(np.float64)
    alpha = model.alpha.astype(np.float64)

    def infer(observed: Documents) -> FloatArray:
        theta = np.tile(alpha / alpha.sum(), (observed.n_documents, 1))
        filled = np.flatnonzero(observed.words_per_document)
        if len(filled):
            # The start of gensim's updates is random: the same for every call.
            model.random_state = get_random_state(seed)
            gamma, _ = model.inference(bags_of(observed.select(filled), vocabulary_size))
            theta[filled] = gamma / gamma.sum(1, keepdims=True, dtype=np.float64)
        return theta

    return Lda(lambdas / lambdas.sum(1, keepdims=True), infer)


def bags_of(documents: Documents, vocabulary_size: int) -> Bags:
    """Each document as gensim reads it: pairs of word and count."""
    bag = documents.bag_of_words(vocabulary_size)
    words, counts = bag.indices.tolist(), bag.data.tolist()
    return [
        list(zip(words[begin:end], counts[begin:end], strict=True))
        for begin, end in pairwise(bag.indptr)
    ]
