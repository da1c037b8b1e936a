"""The most probable phrases: topic shares in, phrases of 1 .. L words and their probabilities out.

A phrase is at most as probable as its beginning, so a beginning that is less probable than all of
the phrases already found need not be continued. If the beam is as wide as what is left, the
result is exactly that of trying all ``V + V^2 + .. + V^L`` phrases.

What follows a beginning is only *proposed* here, in the cheapest way that its kind of continuation
allows; probabilities are those of :func:`segtopic.explore.phrases.phrase_scores`.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import IntArray, ranges
from segtopic.explore.phrases import (
    PhraseScores,
    as_document,
    first_word_log_probabilities,
    padded,
    phrase_scores,
)
from segtopic.model import PackedCorpus
from segtopic.model.continuation import CountedPhrases, WordRoles
from segtopic.model.phrase_memory import PhraseMemory
from segtopic.model.topics import TopicModel


class Found(NamedTuple):
    """Phrases, the most probable first."""

    words: IntArray  # (M, L), NO_WORD after the last word
    log_probability: Tensor  # (M,)


class _NextWords(NamedTuple):
    """Words that may follow some beginnings."""

    beginning: Tensor  # (Q,) which one
    word: Tensor  # (Q,)
    log_share: Tensor  # (Q,) of the word among all that may follow, if the phrase goes on


@torch.no_grad()
def most_probable_phrases(
    model: TopicModel,
    theta: Tensor,
    n_phrases: int,
    min_words: int = 1,
    width: int | None = None,
) -> Found:
    """The ``n_phrases`` most probable phrases in a document with ``(K,)`` topic shares.

    Args:
        model: in evaluation mode.
        theta: topic shares.
        n_phrases: how many; fewer if there are not so many.
        min_words: only phrases of at least so many words.
        width: most beginnings of a length that are looked at; ``n_phrases`` if not given.
    """
    width = width or n_phrases
    longest = model.scorer.max_length
    first = first_word_log_probabilities(model, theta[None])[0]
    beginnings = first.topk(min(width, len(first))).indices[:, None].numpy()
    found: list[IntArray] = [np.zeros((0, longest), dtype=np.int64)]
    whole = [first.new_zeros(0)]
    for length in range(1, longest + 1):
        scores = phrase_scores(model, theta, padded(beginnings, longest))
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
    following = _next_words(model, theta, beginnings, least - goes_on)
    begun = goes_on[following.beginning] + following.log_share
    best = begun.topk(min(width, len(begun))).indices
    best = best[(begun[best] >= least) & begun[best].isfinite()]
    before = beginnings[following.beginning[best].numpy()]
    return np.column_stack([before, following.word[best].numpy()])


def _nth_largest(values: Tensor, n: int) -> float:
    """Minus infinity if there are fewer."""
    return float(values.topk(n).values[-1]) if len(values) >= n else -torch.inf


def _next_words(
    model: TopicModel, theta: Tensor, beginnings: IntArray, least_share: Tensor
) -> _NextWords:
    """Words that may follow ``(B, l)`` beginnings with at least the given log shares, ``(B,)``."""
    continuation = model.scorer.continuation
    if isinstance(continuation, CountedPhrases):
        return _known_words(continuation.phrases, beginnings)
    if isinstance(continuation, WordRoles):
        log_share = continuation.inside.log_softmax(0).expand(len(beginnings), -1)
    else:
        log_share = _softmax_after(model, theta, beginnings)
    beginning, word = (log_share >= least_share[:, None]).nonzero(as_tuple=True)
    return _NextWords(beginning, word, log_share[beginning, word])


def _known_words(memory: PhraseMemory, beginnings: IntArray) -> _NextWords:
    """What the memory knows to follow: all words ever seen after the last word."""
    size, length = memory.vocabulary_size, beginnings.shape[1]
    pairs = memory.get_buffer("keys_2").numpy()
    begin = np.searchsorted(pairs, beginnings[:, -1] * size)
    count = np.searchsorted(pairs, (beginnings[:, -1] + 1) * size) - begin
    beginning = np.repeat(np.arange(len(beginnings)), count)
    word = pairs[ranges(begin, count)] % size
    continued = np.column_stack([beginnings[beginning], word])
    batch = PackedCorpus(as_document(continued), memory.max_length).batch([0])
    log_share = torch.zeros(0)
    if len(word):
        mass = memory(batch.levels, leave_out=False)
        nodes = batch.node[batch.spans.first_word]  # counted through all levels
        shorter, same = (
            sum(len(level.word) for level in batch.levels[:n]) for n in (length - 1, length)
        )
        known = mass.known[length - 1][nodes[:, length] - same]
        goes_on = 1 - mass.left_over[length - 1][nodes[:, length - 1] - shorter]
        log_share = (known / goes_on).log()
    return _NextWords(torch.from_numpy(beginning), torch.from_numpy(word), log_share)


def _softmax_after(model: TopicModel, theta: Tensor, beginnings: IntArray) -> Tensor:
    """``(B, V)``: what the softmax says after running the network over the beginnings."""
    scorer = model.scorer
    vector = model.topics(theta).expand(len(beginnings), -1)
    states = [vector] * len(scorer.layers)
    words = scorer.embedding(torch.from_numpy(beginnings)).unbind(1)
    for inputs in (scorer.begin.expand_as(vector), *words):
        for number, layer in enumerate(scorer.layers):
            below = states[number - 1] if number else inputs
            states[number] = layer(below, states[number])
    logits = scorer.continuation.output(states[-1])[:, : scorer.vocabulary_size]
    return logits.log_softmax(1)
