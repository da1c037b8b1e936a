"""Exact probabilities of phrases: topic shares and phrases in, log probabilities out.

The probability of a phrase is that of the segment ``y_1 .. y_l $``, with its end, as the first
segment of a new document: it has no words of its own yet to repeat, its background is the model's
own, and it is about its topics alone, without the words that all documents share. All of it comes
from the scorer that training uses. After each word either

- words always follow, so that no span's end makes the phrase's end certain: what the model says
  where the text goes on; or
- the span goes on as often as in the training text (:mod:`segtopic.topics.span_ends`), and where
  it does not, the phrase ends: the share of a topic's segments that are this phrase, which one
  would count in text like the training text.

With ``last_step='certain'`` the phrases of 1 .. L words sum to one, both ways.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import IntArray
from segtopic.model.packing import NO_WORD as NO_WORD
from segtopic.model.packing import pack_phrases
from segtopic.model.topic_model import TopicModel
from segtopic.topics.span_ends import SpanEnds


class PhraseScores(NamedTuple):
    """Log probabilities, ``(M,)`` each."""

    begun: Tensor  # of the words, whatever follows
    whole: Tensor  # of the words and the end


def first_word_log_probabilities(
    model: TopicModel, theta: Tensor, common_share: Tensor | None = None
) -> Tensor:
    """``(T, V)`` for ``(T, K)`` topic shares: of each word as the first one of a phrase."""
    distribution = model.first_word_distribution(theta, common_share)
    softmax = distribution.clamp(min=torch.finfo(distribution.dtype).tiny).log()
    n_documents, size = softmax.shape
    document = torch.arange(n_documents).repeat_interleave(size)
    mixed = model.with_background_and_urn(
        softmax.flatten(), theta.new_zeros(n_documents), document, urn=None
    )
    return mixed.view(n_documents, size)


def phrase_scores(
    model: TopicModel,
    theta: Tensor,
    phrases: IntArray,
    span_ends: SpanEnds | None = None,
    common_share: Tensor | None = None,
) -> PhraseScores:
    """Score ``(M, L)`` phrases, padded by ``NO_WORD``, in a document with ``(K,)`` shares.

    Without ``span_ends`` words always follow; without a ``(1,)`` share of them, common words have
    none.
    """
    batch = pack_phrases(phrases, model.scorer.max_length)
    parts = model.scorer.parts(model.context(theta[None], common_share), batch)
    node = batch.node[batch.spans.first_word, batch.spans.lengths - 1]
    first_words = first_word_log_probabilities(model, theta[None], common_share)[0]
    first = first_words[torch.from_numpy(phrases[:, 0])]
    begun, end = first + parts.words[node], parts.ends[node]
    if span_ends is not None:
        chances = span_ends.chances(batch.levels)
        begun = begun + chances.reached[node].log()
        end = (1 - chances.goes_on[node] * -end.expm1()).log()
    return PhraseScores(begun, begun + end)


def log_odds_of_one_phrase(model: TopicModel, theta: Tensor, phrases: IntArray) -> Tensor:
    """``(M,)``: how much more probable a phrase is than any two that make the same words.

    Infinity for single words, which cannot be cut. The document has the usual share of common
    words: without them "results" would be rare, and whatever stands before it a phrase with it.
    """
    usual = model.common_share(theta.new_zeros(1, model.n_hidden))
    odds = torch.full((len(phrases),), torch.inf, dtype=theta.dtype)
    longest = phrases.shape[1]
    for cut in range(1, longest):
        rows = np.flatnonzero(phrases[:, cut] != NO_WORD)
        if len(rows):
            left, right = padded(phrases[rows, :cut], longest), padded(phrases[rows, cut:], longest)
            cut_and_whole = np.concatenate([phrases[rows], left, right])
            scores = phrase_scores(model, theta, cut_and_whole, common_share=usual)
            whole, before, after = scores.whole.chunk(3)
            odds[rows] = torch.minimum(odds[rows], whole - before - after)
    return odds


def phrase_words(phrase: IntArray) -> tuple[int, ...]:
    """The words of a padded phrase."""
    return tuple(phrase[phrase != NO_WORD].tolist())


def padded(phrases: IntArray, length: int) -> IntArray:
    """``(M, length)`` from ``(M, l)`` phrases of one length."""
    return np.pad(phrases, ((0, 0), (0, length - phrases.shape[1])), constant_values=NO_WORD)
