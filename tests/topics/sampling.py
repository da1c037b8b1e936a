"""Text drawn from a model, segment by segment, with spans that end by a rule of their own."""

from typing import NamedTuple

import numpy as np
import torch

from segtopic.corpus import Documents
from segtopic.model import pack
from segtopic.model.topic_model import Latent
from segtopic.topics.phrases import phrase_words
from tests.topics.models import V, all_phrases


class Sampled(NamedTuple):
    documents: Documents
    segments: list[tuple[int, ...]]  # that were drawn, in order


class Steps(NamedTuple):
    """A model with some topics, by the words of a segment so far."""

    begun: dict[tuple[int, ...], float]  # probability of the words, whatever follows
    end: dict[tuple[int, ...], float]  # of the end after them, if the span goes on

    def next_word(self, words):
        """Probabilities of all words after some, if the segment goes on."""
        begun = np.array([self.begun[(*words, word)] for word in range(V)])
        return begun / begun.sum()


def lattice_scores(model, latent, spans):
    """``(N, L)`` and the batch, for documents of one span and the same latent values."""
    batch = pack(Documents.from_lists([[span] for span in spans]), 3)
    many = Latent(*(value.expand(len(spans), *value.shape[1:]) for value in latent))
    return model.scores(many, batch, urn=None), batch


def steps_of(model, latent):
    """Read off what the lattice gets: spans that end with a phrase, and spans that go on."""
    phrases = [phrase_words(phrase) for phrase in all_phrases(3)]
    rows, last = torch.arange(len(phrases)), torch.tensor([len(phrase) - 1 for phrase in phrases])
    values = []
    for further in ([], [0]):
        scores, batch = lattice_scores(model, latent, [[*phrase, *further] for phrase in phrases])
        values.append(scores[batch.spans.first_word][rows, last])
    ending, going_on = values
    return Steps(
        dict(zip(phrases, ending.exp().tolist(), strict=True)),
        dict(zip(phrases, (going_on - ending).exp().tolist(), strict=True)),
    )


def sample(steps, n_spans, span_goes_on, seed):
    """Draw spans, one a document; ``span_goes_on(random, words)`` is asked after each word."""
    random = np.random.default_rng(seed)
    spans, segments = [], []
    for _ in range(n_spans):
        span, segment = [], []
        while True:
            word = int(random.choice(V, p=steps.next_word(tuple(segment))))
            span.append(word)
            segment.append(word)
            goes_on = span_goes_on(random, span)
            if not goes_on or random.random() < steps.end[tuple(segment)]:
                segments.append(tuple(segment))
                segment = []
            if not goes_on:
                break
        spans.append(span)
    return Sampled(Documents.from_lists([[span] for span in spans]), segments)
