"""How well a run's phrases agree with gold phrases, beside simpler ways to find phrases.

The protocol: every way sees the same text, cut into the same spans, and learns from the training
documents of the run. Words that the run does not know stand alone. Boundaries are judged between
the words of a run of gold words, phrases where they have several words
(:mod:`segtopic.evaluate.gold`, :mod:`segtopic.evaluate.boundaries`). Thresholds of the simpler ways
are the best ones for the gold phrases themselves, once for boundaries and once for phrases, which
favours them; nothing of the run is fitted to the gold phrases.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segtopic.corpus.documents import Documents
from segtopic.evaluate.boundaries import Agreement, agreement
from segtopic.evaluate.gold import GoldText
from segtopic.evaluate.heldout import BoolArray
from segtopic.evaluate.segmenters import (
    Collocations,
    GensimPhrases,
    random_lengths,
    single_words,
)
from segtopic.runs import TrainedModel
from segtopic.segment.segmenter import Segmenter

PHRASES_THRESHOLDS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
INFORMATION_THRESHOLDS = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)  # bits
Learner = Callable[[Documents, int, float], Callable[[Documents], BoolArray]]


@dataclass(frozen=True)
class Judged:
    """One way to find phrases."""

    name: str
    agreement: Agreement

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "boundaries": self.agreement.boundaries.to_dict(),
            "phrases": self.agreement.phrases.to_dict(),
        }


def judge(
    trained: TrainedModel,
    gold: GoldText,
    progress: Callable[[str, int], None] = lambda stage, done: None,
) -> list[Judged]:
    """The simpler ways, then the run."""
    encoded, train = trained.encoder.encode(gold.texts), trained.corpus.train
    size, longest = len(trained.vocabulary), trained.config.max_segment_length

    def agree(segment_ends: BoolArray) -> Agreement:
        return agreement(gold.joined_by(encoded, segment_ends), gold.joined, gold.inside)

    def best(name: str, learn: Learner, thresholds: Sequence[float]) -> list[Judged]:
        tried = []
        for done, threshold in enumerate(thresholds):
            progress(name, done)
            tried.append((threshold, agree(learn(train, size, threshold)(encoded.documents))))
        of_boundaries = max(tried, key=lambda one: one[1].boundaries.f1)
        of_phrases = max(tried, key=lambda one: one[1].phrases.f1)
        return [
            Judged(f"{name}, threshold {threshold:g}", found)
            for threshold, found in dict([of_boundaries, of_phrases]).items()
        ]

    documents = encoded.documents
    judged = [
        Judged("every word alone", agree(single_words(documents))),
        Judged(f"random lengths 1 to {longest}", agree(random_lengths(documents, longest, seed=0))),
        *best("gensim Phrases", GensimPhrases.learn, PHRASES_THRESHOLDS),
        *best("NLTK PMI collocations", Collocations.learn, INFORMATION_THRESHOLDS),
    ]
    progress("segtopic", 0)
    found = Segmenter.of(trained).segment(gold.texts)
    segment_ends = np.concatenate([document.segment_ends for document in found])
    return [*judged, Judged(f"segtopic, L = {longest}", agree(segment_ends))]
