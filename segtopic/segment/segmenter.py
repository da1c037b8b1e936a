"""A trained model and texts in, topics and phrases of each text out.

The topics of a document are inferred from all its known words; given them, the posterior over
segmentations is exact. The segmentation shown is the most probable one, where nothing else is
asked for (:mod:`segtopic.segment.alternatives`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.records import Item, batches
from segtopic.corpus.spans import EncodedTexts, TextEncoder
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.lattice import (
    Spans,
    boundary_probabilities,
    segment_lengths,
    segment_posteriors,
    viterbi,
)
from segtopic.model import PackedBatch, pack
from segtopic.model.inference import encoder_mean, refine
from segtopic.model.topic_model import Latent, TopicModel
from segtopic.model.urn import others_urn
from segtopic.runs import TrainedModel
from segtopic.segment.segmented import FloatArray, SegmentedDocument
from segtopic.segment.wishes import Wishes

BATCH_DOCUMENTS = 128  # with 64 a document takes 1.15 times the time, with 256 as long
BATCH_CHARACTERS = 1 << 18


@dataclass(frozen=True, eq=False)
class ScoredTexts:
    """A batch of texts, with what the model says of them.

    Attributes:
        texts: The documents.
        encoded: Their known words.
        scores: ``(N, L)`` log probabilities of the segments, wishes included.
        spans: Of the words.
        topics: ``(D, K)`` shares.
        common: ``(D,)`` shares of the words that all documents have, if they are kept apart.
    """

    texts: Sequence[str]
    encoded: EncodedTexts
    scores: Tensor
    spans: Spans
    topics: FloatArray
    common: FloatArray | None

    def common_share(self, number: int) -> float | None:
        """Of a text, if common words are kept apart."""
        return None if self.common is None else float(self.common[number])

    @cached_property
    def posteriors(self) -> Tensor:
        """``(N, L)`` probabilities of the segments, over all segmentations."""
        return segment_posteriors(self.scores, self.spans)


class Segmenter:
    """Segments texts.

    Args:
        model: trained.
        vocabulary: its words.
        encoder: cuts new text as the training text was cut.
        refine_steps: gradient steps on each document's topics; 0 for the encoder's mean.
        wishes: which words to join always, or never.
        min_probability: phrases that are less probable than this fall apart into words.
    """

    def __init__(
        self,
        model: TopicModel,
        vocabulary: Vocabulary,
        encoder: TextEncoder,
        refine_steps: int,
        wishes: Wishes | None = None,
        min_probability: float = 0.0,
    ) -> None:
        self.model = model.eval()
        self.vocabulary = vocabulary
        self._encoder = encoder
        self._refine_steps = refine_steps
        self.wishes = wishes or Wishes()
        self._min_probability = min_probability

    @classmethod
    def of(
        cls,
        trained: TrainedModel,
        refine_steps: int | None = None,
        wishes: Wishes | None = None,
        min_probability: float = 0.0,
    ) -> "Segmenter":
        """A segmenter with a trained model, and its refinement if nothing else is asked for."""
        steps = trained.config.refinement() if refine_steps is None else refine_steps
        return cls(
            trained.model, trained.vocabulary, trained.encoder, steps, wishes, min_probability
        )

    @staticmethod
    def batches(items: Iterable[Item], size: Callable[[Item], int]) -> Iterator[list[Item]]:
        """Runs of documents that are worth a batch; ``size`` is the characters of a document."""
        return batches(items, size, BATCH_CHARACTERS, BATCH_DOCUMENTS)

    def topics(self, texts: Sequence[str]) -> FloatArray:
        """Shares of the topics in each text, ``(D, K)``; rows sum to one."""
        parts = [inferred.topics for inferred in self._inferred(texts)]
        return np.concatenate([np.empty((0, self.model.n_topics)), *parts])

    def common_shares(self, texts: Sequence[str]) -> FloatArray:
        """How much of each text is words that all documents share, ``(D,)``."""
        return np.concatenate([np.empty(0), *(each.common for each in self._inferred(texts))])

    def segment(self, texts: Sequence[str], trained_on: bool = False) -> list[SegmentedDocument]:
        """The most probable segmentation of each text; see :meth:`score`."""
        found: list[SegmentedDocument] = []
        for batch in self.batches(texts, len):
            scored = self.score(batch, trained_on)
            found += self.read_off(scored, self.best(scored))
        return found

    def score(self, texts: Sequence[str], trained_on: bool = False) -> ScoredTexts:
        """What the model says of one batch of texts.

        Args:
            texts: few enough for memory; see :meth:`batches`.
            trained_on: whether the model was trained on them; it then leaves their own counts out
                of the phrase memory, which would know every chance meeting of two words in them.
        """
        encoded = self._encoder.encode(texts)
        batch, latent, topics, common = self._infer(encoded)
        max_length = self.model.scorer.max_length
        scores = torch.zeros(0, max_length, dtype=torch.float64)
        if batch.levels:
            with torch.no_grad():
                urn = others_urn(batch)
                scores = self.model.scores(latent, batch, urn, leave_out=trained_on).double()
            scores = self.wishes.apply(scores, batch.spans, encoded.documents.words)
        apart = common if self.model.keeps_common else None
        return ScoredTexts(texts, encoded, scores, batch.spans, topics, apart)

    def best(self, scored: ScoredTexts) -> Tensor:
        """The most probable segmentation, with phrases that are too unsure cut into words."""
        ends = viterbi(scored.scores, scored.spans).ends
        if self._min_probability > 0:
            first, lengths = _segments(ends, scored.spans)
            unsure = scored.posteriors[first, lengths - 1] < self._min_probability
            ends = ends | unsure.repeat_interleave(lengths)
        return ends

    def read_off(self, scored: ScoredTexts, ends: Tensor) -> list[SegmentedDocument]:
        """The documents with the given segmentation, ``(N,)``."""
        first, lengths = _segments(ends, scored.spans)
        probabilities = scored.posteriors.new_zeros(len(ends))
        probabilities[first] = scored.posteriors[first, lengths - 1].clamp(0, 1)
        return list(self._documents(scored, ends, probabilities))

    def _documents(
        self, scored: ScoredTexts, ends: Tensor, probabilities: Tensor
    ) -> Iterator[SegmentedDocument]:
        boundaries = boundary_probabilities(scored.posteriors, scored.spans).clamp(0, 1)
        boundaries[scored.spans.last_word] = 1  # but for rounding, it is
        encoded = scored.encoded
        offsets = encoded.documents.word_offsets.tolist()
        words = [self.vocabulary.words[word] for word in encoded.documents.words.tolist()]
        for number, text in enumerate(scored.texts):
            mine = slice(offsets[number], offsets[number + 1])
            yield SegmentedDocument(
                text=text,
                starts=encoded.starts[mine],
                ends=encoded.ends[mine],
                words=tuple(words[mine]),
                segment_ends=ends.numpy()[mine],
                boundaries=boundaries.numpy()[mine],
                probabilities=probabilities.numpy()[mine],
                topics=scored.topics[number],
                common=scored.common_share(number),
            )

    def _inferred(self, texts: Sequence[str]) -> Iterator["_Inferred"]:
        return (self._infer(self._encoder.encode(batch)) for batch in self.batches(texts, len))

    def _infer(self, encoded: EncodedTexts) -> "_Inferred":
        batch = pack(encoded.documents, self.model.scorer.max_length)
        latent = refine(self.model, encoder_mean(self.model, batch), batch, self._refine_steps)
        with torch.no_grad():
            topics = self.model.theta(latent.zeta).double()
            common = self.model.common_share(latent.zeta).double()
        shares = (topics / topics.sum(1, keepdim=True)).numpy()
        return _Inferred(batch, latent, shares, common.numpy())


class _Inferred(NamedTuple):
    """What is known of a batch before it is segmented."""

    batch: PackedBatch
    latent: Latent
    topics: FloatArray  # (D, K)
    common: FloatArray  # (D,)


def _segments(ends: Tensor, spans: Spans) -> tuple[Tensor, Tensor]:
    """First words and lengths of the segments."""
    lengths = segment_lengths(ends, spans)
    return ends.nonzero().squeeze(1) - lengths + 1, lengths
