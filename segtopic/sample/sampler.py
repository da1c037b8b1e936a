"""Documents drawn from a trained model, by the million and always the same ones.

Topics and background are drawn from their priors, words as the model makes them
(:mod:`segtopic.model.sampling`). The model says nothing of lengths: a document has as many spans as
a training document drawn at random, and each span is as long as one drawn from all of theirs.

All random numbers of a document follow the seed and its id, so that any part of the documents can
be drawn anywhere.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch

from segtopic.corpus.documents import IntArray, document_generator
from segtopic.errors import ConfigError
from segtopic.model.sampling import UNIFORMS_OF_WORD, FloatArray, sample_words
from segtopic.model.topic_model import BACKGROUND_DEVIATION, Latent
from segtopic.runs import TrainedModel
from segtopic.sample.spelling import Spelling

BATCH = 512  # documents that are drawn side by side
BATCH_NUMBERS = 1 << 23  # of their words, for larger vocabularies


@dataclass(frozen=True, eq=False)
class SampledDocument:
    """A document that a model made up, and the truth about it.

    Attributes:
        id: Names it; with the seed it tells all its random numbers.
        text: Its words; spans are parted by commas.
        topics: ``(K,)`` the shares of its topics.
        common: The share of words that all documents have, if the model keeps them apart.
        segments: Its segments, each as words.
    """

    id: str
    text: str
    topics: FloatArray
    common: float | None
    segments: tuple[tuple[str, ...], ...]

    def to_dict(self, truth: bool = False) -> dict[str, Any]:
        """For JSON; with topics and segments if the truth is wanted."""
        values: dict[str, Any] = {"id": self.id, "text": self.text}
        if truth:
            values["topics"] = [round(share, 5) for share in self.topics.tolist()]
            if self.common is not None:
                values["common"] = round(self.common, 5)
            values["segments"] = [" ".join(segment) for segment in self.segments]
        return values


class _Beginning(NamedTuple):
    """All of a document but its words."""

    id: str
    span_lengths: IntArray
    zeta: FloatArray
    background: float
    uniform: FloatArray

    @property
    def n_words(self) -> int:
        return len(self.uniform)


class DocumentSampler:
    """Draws documents from a trained model.

    Args:
        trained: with the documents of its training, whose lengths it takes over.
        seed: of everything random.
    """

    def __init__(self, trained: TrainedModel, seed: int = 0) -> None:
        if trained.config.last_step != "certain":
            raise ConfigError(
                f"{trained.name}: its segments do not sum to one (last_step 'charged'), so nothing "
                "can be drawn from it; train with last_step 'certain'"
            )
        self._model, self._seed = trained.model, seed
        self._words = trained.vocabulary.words
        self._spelling = Spelling(trained.vocabulary, trained.corpus.rules)
        training = trained.corpus.train
        self._span_counts = np.sort(training.spans_per_document[training.spans_per_document > 0])
        self._span_lengths = np.sort(training.span_lengths)

    def documents(self, n_documents: int, first: int = 1) -> Iterator[SampledDocument]:
        """So many documents, in order, from the one with the number ``first`` on."""
        for batch in self.batches(n_documents, first):
            yield from batch

    def batches(self, n_documents: int, first: int = 1) -> Iterator[list[SampledDocument]]:
        """The same in lists; memory does not grow with their number."""
        size = max(min(BATCH, BATCH_NUMBERS // len(self._words)), 1)
        for begin in range(first, first + n_documents, size):
            numbers = range(begin, min(begin + size, first + n_documents))
            yield self._batch([self._begin(f"sampled-{number}") for number in numbers])

    def _begin(self, id_: str) -> _Beginning:
        generator = document_generator(self._seed, id_.encode())
        n_spans = int(generator.choice(self._span_counts))
        lengths = self._span_lengths[generator.integers(len(self._span_lengths), size=n_spans)]
        lengths = lengths.astype(np.int64)
        return _Beginning(
            id_,
            lengths,
            generator.standard_normal(self._model.n_hidden),
            float(generator.normal(scale=BACKGROUND_DEVIATION)),
            generator.random((int(lengths.sum()), UNIFORMS_OF_WORD)),
        )

    def _batch(self, beginnings: list[_Beginning]) -> list[SampledDocument]:
        order = sorted(range(len(beginnings)), key=lambda number: -beginnings[number].n_words)
        sorted_ = [beginnings[number] for number in order]
        latent = Latent(
            torch.from_numpy(np.stack([each.zeta for each in sorted_])),
            torch.tensor([each.background for each in sorted_], dtype=torch.float64),
        )
        sampled = sample_words(
            self._model,
            latent,
            [each.span_lengths for each in sorted_],
            np.concatenate([each.uniform for each in sorted_]),
        )
        with torch.no_grad():
            topics = self._model.theta(latent.zeta).numpy()
            common = self._model.common_share(latent.zeta).tolist()
        offsets = sampled.documents.word_offsets
        made: dict[int, SampledDocument] = {}
        for place, text in enumerate(self._spelling.texts(sampled.documents)):
            own = slice(offsets[place], offsets[place + 1])
            words = [self._words[word] for word in sampled.documents.words[own].tolist()]
            cuts = [0, *(np.flatnonzero(sampled.segment_ends[own]) + 1).tolist()]
            segments = tuple(tuple(words[begin:end]) for begin, end in pairwise(cuts))
            id_ = sorted_[place].id
            share = common[place] if self._model.keeps_common else None
            made[order[place]] = SampledDocument(id_, text, topics[place], share, segments)
        return [made[number] for number in range(len(beginnings))]
