"""Which words or phrases come first: log probabilities in a topic and on average in, scores out.

- *probability*: in the topic.
- *lift*: how many times more probable in the topic than in the average document. Favours rare
  words, so it needs candidates that are probable enough.
- *relevance*: probability times the logarithm of the lift, which is what the word or phrase adds to
  the divergence of the topic from the average document, times its number of words, because a long
  phrase stands for more of the text. Probable in the topic, and more so than elsewhere: the one
  that reads best.
"""

import torch
from torch import Tensor

from segtopic.config import Rank

PROBABLE_WORDS = 200  # of a topic: those that are ranked by lift


def ranking_scores(
    rank: Rank, in_topic: Tensor, on_average: Tensor, n_words: Tensor | int = 1
) -> Tensor:
    """Larger is better; log probabilities of one shape in, scores of the same shape out."""
    if rank == "probability":
        return in_topic
    lift = in_topic - on_average
    return lift if rank == "lift" else n_words * in_topic.exp() * lift


def top_words(rank: Rank, in_topics: Tensor, on_average: Tensor, n_words: int = 10) -> Tensor:
    """``(K, n)`` the best words of ``(K, V)`` topics, best first; for lift the probable ones."""
    scores = ranking_scores(rank, in_topics, on_average)
    if rank == "lift":
        least = in_topics.topk(min(PROBABLE_WORDS, in_topics.shape[1]), dim=1).values[:, -1:]
        scores = scores.masked_fill(in_topics < least, -torch.inf)
    return scores.topk(min(n_words, scores.shape[1]), dim=1).indices
