"""What follows some words, topic by topic: topics and the beginning of a phrase in, words out.

Whether "new" is followed by "york" or "delhi" depends on what a document is about. Shares are the
model's own, exact (:meth:`segtopic.model.continuations.Continuation.propose`): of each word among
all words that may follow in the same segment, memory and network together.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import IntArray
from segtopic.model.topic_model import TopicModel
from segtopic.topics.phrases import padded, phrase_scores

LEAST_SHARE = 0.01


@dataclass(frozen=True)
class Followers:
    """What follows in a document that stands for a topic.

    Attributes:
        begins: How probable the given words are as the beginning of a segment.
        goes_on: How probable it is that the segment goes on after them, if its span does.
        words: What follows then, by number, the most probable first.
        shares: Of each, among all words that may follow.
    """

    begins: float
    goes_on: float
    words: tuple[int, ...]
    shares: tuple[float, ...]


@torch.no_grad()
def followers(model: TopicModel, theta: Tensor, beginning: IntArray, n_words: int) -> Followers:
    """What follows ``(l,)`` words, fewer than the longest segment, given ``(K,)`` topic shares."""
    given = beginning[None]
    scores = phrase_scores(model, theta, padded(given, model.scorer.max_length))
    if not scores.begun.isfinite():
        return Followers(0.0, 0.0, (), ())
    least = theta.new_full((1,), float(np.log(LEAST_SHARE)))
    proposed = model.scorer.continuation.propose(model.context(theta[None]), given, least)
    best = proposed.log_share.topk(min(n_words, len(proposed.log_share)))
    return Followers(
        begins=float(scores.begun.exp()),
        goes_on=float(1 - (scores.whole - scores.begun).exp()),
        words=tuple(proposed.word[best.indices].tolist()),
        shares=tuple(best.values.exp().tolist()),
    )
