"""The most probable phrases: topic shares in, phrases of 1 .. L words and their probabilities out.

A phrase is at most as probable as its beginning, so a beginning that is less probable than all of
the phrases already found need not be continued. If the beam is as wide as what is left, the
result is exactly that of trying all ``V + V^2 + .. + V^L`` phrases.

What follows a beginning the model's continuation proposes, in the cheapest way that it has;
probabilities are those of :func:`segtopic.topics.phrases.phrase_scores`.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import IntArray
from segtopic.model.topic_model import TopicModel
from segtopic.topics.phrases import (
    PhraseScores,
    first_word_log_probabilities,
    padded,
    phrase_scores,
)
from segtopic.topics.span_ends import SpanEnds


class Found(NamedTuple):
    """Phrases, the most probable first."""

    words: IntArray  # (M, L), NO_WORD after the last word
    log_probability: Tensor  # (M,)


@torch.no_grad()
def most_probable_phrases(
    model: TopicModel,
    theta: Tensor,
    n_phrases: int,
    min_words: int = 1,
    width: int | None = None,
    span_ends: SpanEnds | None = None,
) -> Found:
    """The ``n_phrases`` most probable phrases in a document with ``(K,)`` topic shares.

    Args:
        model: in evaluation mode.
        theta: topic shares.
        n_phrases: how many; fewer if there are not so many.
        min_words: only phrases of at least so many words.
        width: most beginnings of a length that are looked at; ``n_phrases`` if not given.
        span_ends: how often spans go on; always, if not given.
    """
    width = width or n_phrases
    longest = model.scorer.max_length
    first = first_word_log_probabilities(model, theta[None])[0]
    beginnings = first.topk(min(width, len(first))).indices[:, None].numpy()
    found: list[IntArray] = [np.zeros((0, longest), dtype=np.int64)]
    whole = [first.new_zeros(0)]
    for length in range(1, longest + 1):
        scores = phrase_scores(model, theta, padded(beginnings, longest), span_ends)
        if length >= min_words:
            found.append(padded(beginnings, longest))
            whole.append(scores.whole)
        if length < longest:
            least = _nth_largest(torch.cat(whole), n_phrases)
            beginnings = _continued(model, theta, beginnings, scores, least, width)
        if len(beginnings) == 0:
            break
    log_probability, order = torch.cat(whole).sort(descending=True, stable=True)
    return Found(np.concatenate(found)[order[:n_phrases].numpy()], log_probability[:n_phrases])


def _continued(
    model: TopicModel,
    theta: Tensor,
    beginnings: IntArray,
    scores: PhraseScores,
    least: float,
    width: int,
) -> IntArray:
    """The best beginnings of one word more, all of them at least so probable (a logarithm)."""
    goes_on = (scores.begun.exp() - scores.whole.exp()).clamp(min=0).log()
    open_ = (goes_on >= least) & goes_on.isfinite()
    beginnings, goes_on = beginnings[open_.numpy()], goes_on[open_]
    if len(beginnings) == 0:
        return beginnings
    context = model.context(theta[None])
    following = model.scorer.continuation.propose(context, beginnings, least - goes_on)
    begun = goes_on[following.beginning] + following.log_share
    best = begun.topk(min(width, len(begun))).indices
    best = best[(begun[best] >= least) & begun[best].isfinite()]
    before = beginnings[following.beginning[best].numpy()]
    return np.column_stack([before, following.word[best].numpy()])


def _nth_largest(values: Tensor, n: int) -> float:
    """Minus infinity if there are fewer."""
    return float(values.topk(n).values[-1]) if len(values) >= n else -torch.inf
