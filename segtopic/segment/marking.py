"""Marked phrases: what a reader is shown of a text, from the exact posterior over segmentations.

Every known word of a text is in some segment, most of them alone. A reader wants the phrases: two
or more words, without a stop word at either end (one may stand inside), none inside another, each
with its probability. A phrase is marked if that is above a threshold; where none is given, it is
the one with the best expected F1 in the document, so that a document's marks are its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor

from segtopic.corpus.spans import SpanRules
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.corpus.words import load_stop_words
from segtopic.lattice import (
    Marks,
    best_marks,
    best_threshold,
    core_posteriors,
    together_probabilities,
)
from segtopic.runs import TrainedModel
from segtopic.segment.segmented import SegmentedDocument
from segtopic.segment.segmenter import ScoredTexts, Segmenter

Posterior = Literal["exact", "together"]


def shown_stop_words(rules: SpanRules, name: str | None = None) -> frozenset[str]:
    """The words that neither begin nor end a marked phrase.

    Those with the name, or in the file; if none is given those of the run, and where a run has stop
    words as words like any other, the English ones.
    """
    if name is None:
        return rules.function_words
    return load_stop_words(name, rules.config.lowercase)


@dataclass(frozen=True, eq=False)
class Marker:
    """Marks phrases.

    Attributes:
        segmenter: Scores the texts.
        stop_words: Neither begin nor end a phrase.
        threshold: Least probability; by the best expected F1 of each document if not given.
        posterior: ``exact``: that these words, stop words beside them left out, are one segment;
            ``together``: that they are in one segment, maybe with others.
    """

    segmenter: Segmenter
    stop_words: frozenset[str]
    threshold: float | None = None
    posterior: Posterior = "exact"

    @classmethod
    def of(
        cls,
        trained: TrainedModel,
        segmenter: Segmenter | None = None,
        threshold: float | None = None,
        posterior: Posterior = "exact",
        stop_words: str | None = None,
    ) -> "Marker":
        """A marker with a trained model; ``stop_words`` as in :func:`shown_stop_words`."""
        words = shown_stop_words(trained.corpus.rules, stop_words)
        return cls(segmenter or Segmenter.of(trained), words, threshold, posterior)

    def mark(self, texts: Sequence[str], trained_on: bool = False) -> list[SegmentedDocument]:
        """The marked phrases of each text; see :meth:`Segmenter.score`."""
        found: list[SegmentedDocument] = []
        for batch in self.segmenter.batches(texts, len):
            found += self.read_off(self.segmenter.score(batch, trained_on))
        return found

    def read_off(self, scored: ScoredTexts) -> list[SegmentedDocument]:
        """The marked phrases of scored texts."""
        return self.segmenter.read_marks(scored, self.marks(scored))

    def marks(self, scored: ScoredTexts) -> Marks:
        """Where they are."""
        spans = scored.spans
        unmarked = self._is_stop_word[torch.from_numpy(scored.encoded.documents.words).long()]
        exact = core_posteriors(scored.posteriors, spans, unmarked)
        if self.threshold is None:
            per_document = torch.from_numpy(scored.encoded.documents.spans_per_document)
            document = torch.arange(len(scored.texts)).repeat_interleave(per_document)
            thresholds = best_threshold(exact, spans, document, len(scored.texts))[document]
        else:
            thresholds = exact.new_full((spans.n_spans,), self.threshold)
        if self.posterior == "together":
            exact = together_probabilities(scored.posteriors, spans, unmarked)
        return best_marks(exact, spans, thresholds)

    @cached_property
    def _is_stop_word(self) -> Tensor:
        vocabulary: Vocabulary = self.segmenter.vocabulary
        return torch.tensor([word in self.stop_words for word in vocabulary.words])
