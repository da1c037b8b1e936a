"""Models of held-out words that segtopic is compared with, from the unigram to LDA with a bigram.

All of them are ``Baseline``s: given observed words, a log probability for each scored word, over
the same vocabulary.
"""

from segtopic.evaluate.baselines.baseline import Baseline, continuation_log_likelihood, score
from segtopic.evaluate.baselines.bigram import (
    BackoffBigram,
    BigramCounts,
    bigram_continuation,
)
from segtopic.evaluate.baselines.gensim_lda import fit_gensim
from segtopic.evaluate.baselines.lda import Lda
from segtopic.evaluate.baselines.phrases_lda import PhraseMerger, PhrasesLda
from segtopic.evaluate.baselines.tomotopy_lda import fit_tomotopy
from segtopic.evaluate.baselines.unigram import Unigram
from segtopic.evaluate.baselines.urn import ObservedWords

__all__ = [
    "BackoffBigram",
    "Baseline",
    "BigramCounts",
    "Lda",
    "ObservedWords",
    "PhraseMerger",
    "PhrasesLda",
    "Unigram",
    "bigram_continuation",
    "continuation_log_likelihood",
    "fit_gensim",
    "fit_tomotopy",
    "score",
]
