"""A trained model and texts in, topics and phrases of each text out.

The topics of a document are inferred from all its known words; given them, the posterior over
segmentations is exact. The segmentation shown is the most probable one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import IntArray
from segtopic.corpus.encode import EncodedTexts, TextEncoder
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.explore.segmented import BoolArray, FloatArray, SegmentedDocument
from segtopic.explore.wishes import Wishes
from segtopic.lattice import (
    Spans,
    boundary_probabilities,
    segment_lengths,
    segment_posteriors,
    viterbi,
)
from segtopic.model import PackedBatch, PackedCorpus
from segtopic.model.inference import encoder_mean, refine
from segtopic.model.topics import Latent, TopicModel, Urn
from segtopic.training import Run

BATCH_DOCUMENTS = 64
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
    """

    texts: Sequence[str]
    encoded: EncodedTexts
    scores: Tensor
    spans: Spans
    topics: FloatArray

    @property
    def word_offsets(self) -> IntArray:
        """Where the words of each document begin, ``(D + 1,)``."""
        return self.encoded.documents.word_offsets


class Segmenter:
    """Segments texts.

    Args:
        model: trained.
        vocabulary: its words.
        encoder: cuts new text as the training text was cut.
        refine_steps: gradient steps on each document's topics; 0 for the encoder's mean.
        wishes: which words to join always, or never.
    """

    def __init__(
        self,
        model: TopicModel,
        vocabulary: Vocabulary,
        encoder: TextEncoder,
        refine_steps: int = 30,
        wishes: Wishes | None = None,
    ) -> None:
        self.model = model.eval()
        self.vocabulary = vocabulary
        self._encoder = encoder
        self._refine_steps = refine_steps
        self._wishes = wishes or Wishes()

    @classmethod
    def of(
        cls, run: Run, refine_steps: int | None = None, wishes: Wishes | None = None
    ) -> "Segmenter":
        """A segmenter with the model of a run, and its refinement if nothing else is asked for."""
        steps = run.config.refine_steps if refine_steps is None else refine_steps
        return cls(run.model, run.vocabulary, run.encoder(), steps, wishes)

    def topics(self, texts: Sequence[str]) -> FloatArray:
        """Shares of the topics in each text, ``(D, K)``; rows sum to one."""
        parts = [self._infer(self._encoder.encode(batch))[2] for batch in batches(texts)]
        return np.concatenate([np.empty((0, self.model.n_topics)), *parts])

    def segment(self, texts: Sequence[str]) -> list[SegmentedDocument]:
        """The most probable segmentation of each text."""
        return [
            document for batch in batches(texts) for document in self.read_off(self.score(batch))
        ]

    def score(self, texts: Sequence[str]) -> ScoredTexts:
        """What the model says of one batch of texts."""
        encoded = self._encoder.encode(texts)
        batch, latent, topics = self._infer(encoded)
        max_length = self.model.scorer.max_length
        scores = torch.zeros(0, max_length, dtype=torch.float64)
        if batch.levels:
            with torch.no_grad():
                urn = Urn(batch.seen, batch.position)
                scores = self.model.scores(latent, batch, urn).double()
            scores = self._wishes.apply(scores, batch.spans, encoded.documents.words)
        return ScoredTexts(texts, encoded, scores, batch.spans, topics)

    def read_off(self, scored: ScoredTexts, ends: Tensor | None = None) -> list[SegmentedDocument]:
        """The documents with the given segmentation, or with the most probable one."""
        n_words = scored.spans.n_words
        closes = np.ones(n_words, dtype=bool)
        boundaries, probabilities = np.ones(n_words), np.ones(n_words)
        if n_words:
            posteriors = segment_posteriors(scored.scores, scored.spans)
            boundaries = boundary_probabilities(posteriors, scored.spans).clamp(0, 1).numpy()
            if ends is None:
                ends = viterbi(scored.scores, scored.spans).ends
            closes = ends.numpy()
            lengths = segment_lengths(ends, scored.spans).numpy()
            first = np.flatnonzero(closes) - lengths + 1
            probabilities = np.zeros(n_words)
            probabilities[first] = posteriors.numpy()[first, lengths - 1].clip(0, 1)
        return list(self._documents(scored, closes, boundaries, probabilities))

    def _documents(
        self,
        scored: ScoredTexts,
        closes: BoolArray,
        boundaries: FloatArray,
        probabilities: FloatArray,
    ) -> Iterator[SegmentedDocument]:
        encoded, offsets = scored.encoded, scored.word_offsets.tolist()
        words = [self.vocabulary.words[word] for word in encoded.documents.words.tolist()]
        for number, text in enumerate(scored.texts):
            mine = slice(offsets[number], offsets[number + 1])
            yield SegmentedDocument(
                text=text,
                starts=encoded.starts[mine],
                ends=encoded.ends[mine],
                words=tuple(words[mine]),
                closes=closes[mine],
                boundaries=boundaries[mine],
                probabilities=probabilities[mine],
                topics=scored.topics[number],
            )

    def _infer(self, encoded: EncodedTexts) -> tuple[PackedBatch, Latent, FloatArray]:
        documents = encoded.documents
        packed = PackedCorpus(documents, self.model.scorer.max_length)
        batch = packed.batch(np.arange(documents.n_documents))
        latent = refine(self.model, encoder_mean(self.model, batch), batch, self._refine_steps)
        with torch.no_grad():
            topics = self.model.theta(latent.zeta).double()
        return batch, latent, (topics / topics.sum(1, keepdim=True)).numpy()


def batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Runs of texts that are worth a batch and fit into memory; a long text has its own."""
    begin, size = 0, 0
    for number, text in enumerate(texts):
        if number > begin and (
            number - begin == BATCH_DOCUMENTS or size + len(text) > BATCH_CHARACTERS
        ):
            yield texts[begin:number]
            begin, size = number, 0
        size += len(text)
    if begin < len(texts):
        yield texts[begin:]
