"""Documents drawn from a trained model, by the million and always the same ones.

Topics and background are drawn from their priors, words as the model makes them
(:mod:`segtopic.model.sampling`). The model says nothing of lengths: a document has as many spans as
a training document drawn at random, and each span is as long as one drawn from all of theirs.

All random numbers of a document follow the seed and its id, so that any part of the documents can
be drawn anywhere.
"""

from collections.abc import Iterator, Sequence
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

BATCH = 8192  # documents that are drawn together, those of about one length side by side
SIDE_BY_SIDE = 2048
SIDE_BY_SIDE_NUMBERS = 1 << 24  # of all words in them, for larger vocabularies


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

    number: int
    span_lengths: IntArray
    zeta: FloatArray
    background: float
    generator: np.random.Generator  # of what is still to be drawn

    @property
    def n_words(self) -> int:
        return int(self.span_lengths.sum())

    def uniform(self) -> FloatArray:
        return self.generator.random((self.n_words, UNIFORMS_OF_WORD))


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
        self._span_lengths = np.sort(training.span_lengths).astype(np.int64)

    def documents(self, n_documents: int, first: int = 1) -> Iterator[SampledDocument]:
        """So many documents, in order, from the one with the number ``first`` on."""
        for numbers in self.batches(n_documents, first):
            yield from self.draw(numbers)

    @staticmethod
    def batches(n_documents: int, first: int = 1) -> Iterator[range]:
        """Their numbers, as many at a time as are worth a batch."""
        for begin in range(first, first + n_documents, BATCH):
            yield range(begin, min(begin + BATCH, first + n_documents))

    def draw(self, numbers: Sequence[int]) -> list[SampledDocument]:
        """The documents with these numbers; the same whatever others are drawn with them."""
        beginnings = sorted(map(self._begin, numbers), key=lambda each: -each.n_words)
        size = max(min(SIDE_BY_SIDE, SIDE_BY_SIDE_NUMBERS // len(self._words)), 1)
        made: dict[int, SampledDocument] = {}
        for begin in range(0, len(beginnings), size):
            made |= self._side_by_side(beginnings[begin : begin + size])
        return [made[number] for number in numbers]

    def _begin(self, number: int) -> _Beginning:
        generator = document_generator(self._seed, _id_of(number).encode())
        n_spans = self._span_counts[generator.integers(len(self._span_counts))]
        lengths = self._span_lengths[generator.integers(len(self._span_lengths), size=n_spans)]
        return _Beginning(
            number,
            lengths,
            generator.standard_normal(self._model.n_hidden),
            generator.normal(scale=BACKGROUND_DEVIATION),
            generator,
        )

    @torch.no_grad()
    def _side_by_side(self, beginnings: list[_Beginning]) -> dict[int, SampledDocument]:
        """Documents, sorted by length, by their numbers."""
        latent = Latent(
            torch.from_numpy(np.stack([each.zeta for each in beginnings])),
            torch.tensor([each.background for each in beginnings], dtype=torch.float64),
        )
        documents, segment_ends = sample_words(
            self._model,
            latent,
            [each.span_lengths for each in beginnings],
            np.concatenate([each.uniform() for each in beginnings]),
        )
        topics = self._model.theta(latent.zeta).numpy()
        common = self._model.common_share(latent.zeta).tolist()
        words = [self._words[word] for word in documents.words.tolist()]
        cuts = [0, *(np.flatnonzero(segment_ends) + 1).tolist()]
        segments = [tuple(words[begin:end]) for begin, end in pairwise(cuts)]
        of_document = np.concatenate([[0], np.cumsum(segment_ends)])[documents.word_offsets]
        made: dict[int, SampledDocument] = {}
        for place, (text, (begin, end)) in enumerate(
            zip(self._spelling.texts(documents), pairwise(of_document.tolist()), strict=True)
        ):
            number = beginnings[place].number
            share = common[place] if self._model.keeps_common else None
            made[number] = SampledDocument(
                _id_of(number), text, topics[place], share, tuple(segments[begin:end])
            )
        return made


def _id_of(number: int) -> str:
    return f"sampled-{number}"
