"""Documents drawn from the model: hidden values and lengths of spans in, words and segments out.

Exact ancestral sampling, word by word and many documents at a time: the end of a segment or its
next word, then the first word of the next one. What a document holds already comes again with the
probabilities of its urns (:mod:`segtopic.model.urn`); all that is drawn has the probability that
:meth:`segtopic.model.topic_model.TopicModel.log_likelihood` gives it.

An urn is drawn from by drawing one of the earlier places. With a discount, the first place of
every word (or phrase) counts for less.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from segtopic.corpus.documents import Documents, IntArray
from segtopic.model.continuations.draws import END, UNIFORMS
from segtopic.model.topic_model import Latent, TopicModel

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]

# Random numbers of each word: urn or topics, which word; own phrase, which one; the continuation's.
UNIFORMS_OF_WORD = 4 + UNIFORMS
TOGETHER = 32  # documents whose first words are made at a time, so that they stay in cache


class SampledWords(NamedTuple):
    """Documents as they were drawn."""

    documents: Documents
    segment_ends: BoolArray  # (N,)


@torch.no_grad()
def sample_words(
    model: TopicModel, latent: Latent, span_lengths: Sequence[IntArray], uniform: FloatArray
) -> SampledWords:
    """Draw the words of documents.

    Args:
        model: whose ends that cannot be otherwise are certain.
        latent: hidden values of the documents, which must be sorted by length, longest first.
        span_lengths: of each document.
        uniform: ``(N, UNIFORMS_OF_WORD)`` numbers from 0 to 1, 1 excluded, for the words of one
            document after the other.
    """
    shape = Documents(
        np.empty(0, dtype=np.int64),
        np.concatenate([np.empty(0, dtype=np.int64), *span_lengths]),
        np.array([len(lengths) for lengths in span_lengths], dtype=np.int64),
    )
    sizes = shape.words_per_document
    if (np.diff(sizes) > 0).any():
        raise ValueError("documents must be sorted by length, longest first")
    drawing = _Drawing(model, latent, shape, uniform)
    for place in range(int(sizes.max(initial=0))):
        drawing.draw(place, int(np.searchsorted(-sizes, -place)))
    exists = np.arange(drawing.words.shape[1]) < sizes[:, None]
    return SampledWords(
        Documents(drawing.words[exists], shape.span_lengths, shape.spans_per_document),
        drawing.segment_ends[exists],
    )


class _Drawing:
    """Documents that grow side by side; ``(D, T)`` arrays hold their words."""

    def __init__(
        self, model: TopicModel, latent: Latent, shape: Documents, uniform: FloatArray
    ) -> None:
        sizes = shape.words_per_document
        n_documents, longest = len(sizes), int(sizes.max(initial=0))
        exists = np.arange(longest) < sizes[:, None]
        left = np.repeat(np.cumsum(shape.span_lengths), shape.span_lengths)
        left = left - np.arange(len(left))
        self._model = model
        self._max_length = model.scorer.max_length
        self._words_left = np.zeros((n_documents, longest), dtype=np.int64)
        self._words_left[exists] = left
        self._place_in_span = np.zeros_like(self._words_left)
        self._place_in_span[exists] = np.repeat(shape.span_lengths, shape.span_lengths) - left
        self._uniform = np.zeros((n_documents, longest, UNIFORMS_OF_WORD))
        self._uniform[exists] = uniform
        self.words = np.full((n_documents, longest), -1)
        self.segment_ends = np.zeros((n_documents, longest), dtype=bool)
        self._length = np.zeros(n_documents, dtype=np.int64)  # of the segment so far
        # Of the sequence of l words that ends at each word: whether it is the document's first.
        self._is_new = np.zeros((self._max_length, n_documents, longest), dtype=bool)
        # Where in each document the last l words stood before.
        self._stood = [np.zeros((n_documents, 0), dtype=bool)] * self._max_length
        contexts = map(model.context_of, latent.zeta.split(TOGETHER))
        self._next_words = model.scorer.continuation.draws(contexts)
        self._background: FloatArray | None = None
        if model.background is not None:
            self._background = (model.background + latent.background).sigmoid().numpy()
        self._n_words = model.scorer.vocabulary_size

    def draw(self, place: int, n_documents: int) -> None:
        """The word at a place of the first so many documents, all that are long enough."""
        uniform = self._uniform[:n_documents, place]
        length = self._length[:n_documents]
        length[(self._place_in_span[:n_documents, place] == 0) | (length == self._max_length)] = 0
        word = np.full(n_documents, END)
        for so_far in range(1, self._max_length):
            chosen = np.flatnonzero(length == so_far)
            if len(chosen):
                word[chosen] = self._further(chosen, place, so_far, uniform[chosen, 2:])
        begins = np.flatnonzero(word == END)
        word[begins] = self._first(begins, place, uniform[begins, :2])
        length[begins] = 0
        length += 1
        self.words[:n_documents, place] = word
        if place:
            self.segment_ends[begins, place - 1] = True
        self.segment_ends[:n_documents, place] |= self._words_left[:n_documents, place] == 1
        self._remember(place, n_documents)

    def _first(self, chosen: IntArray, place: int, uniform: FloatArray) -> IntArray:
        """First words of segments: from the urn, the background or the topics."""
        model, left = self._model, uniform[:, 0].copy()
        words = np.full(len(chosen), END)
        if model.log_urn is not None and place:
            discount = 0.0 if model.urn_discount is None else float(model.urn_discount.sigmoid())
            weights = 1 - discount * self._is_new[0, chosen, :place]
            share = weights.sum(1) / (float(model.log_urn.exp()) + place)
            own = left < share
            earlier = _pick(weights[own], uniform[own, 1])
            words[own] = self.words[chosen[own], earlier]
            left[~own] = (left[~own] - share[~own]) / (1 - share[~own])
        if self._background is not None:
            uniformly = (words == END) & (left < self._background[chosen])
            words[uniformly] = (uniform[uniformly, 1] * self._n_words).astype(np.int64)
        rest = words == END
        found = self._next_words.first_words.find(
            torch.from_numpy(chosen[rest]), torch.from_numpy(uniform[rest, 1])
        )
        words[rest] = found.numpy()
        return words

    def _further(self, chosen: IntArray, place: int, length: int, uniform: FloatArray) -> IntArray:
        """What follows so many words of a segment: as before in the document, or by the model."""
        words = np.full(len(chosen), END)
        waiting: IntArray = np.arange(len(chosen))
        left = uniform[:, 0].copy()
        own_phrases = self._model.own_phrases
        if own_phrases is not None:
            for suffix in range(length, 0, -1):
                discount = float(own_phrases.discount_logit[suffix - 1].sigmoid())
                strength = float(own_phrases.log_strength[suffix - 1].exp())
                who = chosen[waiting]
                # Where the words stood before and went on, by the place of the next word.
                went_on = self._stood[suffix - 1][who] & (self._place_in_span[who, 1:place] > 0)
                weights = went_on * (1 - discount * self._is_new[suffix, who, 1:place])
                share = weights.sum(1) / (strength + went_on.sum(1))
                own = left[waiting] < share
                now = waiting[own]
                words[now] = self.words[chosen[now], 1 + _pick(weights[own], uniform[now, 1])]
                waiting, share = waiting[~own], share[~own]
                left[waiting] = (left[waiting] - share) / (1 - share)
        if len(waiting):
            who = chosen[waiting]
            words[waiting] = self._next_words(
                torch.from_numpy(who),
                torch.from_numpy(self.words[who, place - length : place]),
                torch.from_numpy(uniform[waiting, 2:]),
            ).numpy()
        return words

    def _remember(self, place: int, n_documents: int) -> None:
        """Where the words that end here stood before."""
        for shorter in range(self._max_length):  # than the sequence, by one
            begin = place - shorter
            if begin < 0:
                break
            same = np.zeros((n_documents, place), dtype=bool)
            same[:, shorter:] = (
                self.words[:n_documents, : place - shorter] == self.words[:n_documents, begin, None]
            )
            if shorter:
                same &= self._stood[shorter - 1]
                same &= self._place_in_span[:n_documents, :place] >= shorter
                same &= self._place_in_span[:n_documents, place, None] >= shorter
            self._stood[shorter] = same
            self._is_new[shorter, :n_documents, place] = ~same.any(1)


def _pick(weights: FloatArray, uniform: FloatArray) -> IntArray:
    """A column of each row, drawn with its share of the row."""
    sums = weights.cumsum(1)
    if not len(sums):
        return np.empty(0, dtype=np.int64)
    place = (sums <= (uniform * sums[:, -1])[:, None]).sum(1)
    # Rounding may lead beyond the last column with any weight.
    last = weights.shape[1] - 1 - (weights[:, ::-1] > 0).argmax(1)
    return np.minimum(place, last)
