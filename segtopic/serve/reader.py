"""Texts in, everything the page shows of them out: phrases, boundaries, alternatives, topics.

A text is inferred once and kept for a while. A boundary that is decided afterwards changes only
the lattice, which answers at once and exactly.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from segtopic.corpus.documents import IntArray
from segtopic.lattice import k_best, log_partition
from segtopic.runs import TrainedModel
from segtopic.segment.alternatives import Alternative, best_alternative, best_alternatives
from segtopic.segment.candidates import Candidates
from segtopic.segment.decisions import Decisions
from segtopic.segment.formats import SegmentedRecord, as_json
from segtopic.segment.marking import Marker
from segtopic.segment.segmented import FloatArray
from segtopic.segment.segmenter import ScoredTexts, Segmenter
from segtopic.serve.library import Library
from segtopic.serve.topics import LiveTopics

KEPT = 64  # texts that a reader may still be clicking at
SHOWN_ALTERNATIVES = 5
SIMILAR = 5
LEAST_PROBABILITY = 0.01  # of a candidate that is told


class Reader:
    """Reads texts with a trained model. Not for several threads at once.

    Args:
        trained: the model.
        topics: what its topics are called, and which words they have.
        library: the documents of the run.
        refine: whether topics are inferred by gradient steps after the encoder; as in the training
            if not given.
    """

    def __init__(
        self,
        trained: TrainedModel,
        topics: LiveTopics,
        library: Library,
        refine: bool | None = None,
    ) -> None:
        self._segmenter = Segmenter.of(trained, trained.config.refinement(refine))
        self._marker = Marker.of(trained, self._segmenter)
        self._vocabulary = trained.vocabulary
        self._topics = topics
        self._library = library
        self._kept: OrderedDict[str, ScoredTexts] = OrderedDict()

    def segment(
        self, text: str, decisions: Decisions, n_best: int = 1, id_: str = ""
    ) -> dict[str, Any]:
        """The object that ``segtopic segment --format jsonl`` writes."""
        scored = decisions.apply(self._score(text))
        (found,) = (
            best_alternatives(self._segmenter, scored, n_best)
            if n_best > 1
            else best_alternative(self._segmenter, scored)
        )
        return as_json(SegmentedRecord(id_, found))

    def mark(self, text: str, decisions: Decisions, id_: str = "") -> dict[str, Any]:
        """The object that ``segtopic segment --phrases marked --format jsonl`` writes."""
        scored = self._score(text)
        (document,) = self._marker.choose(scored, self._marker.candidates(scored, decisions))
        return as_json(SegmentedRecord(id_, [Alternative(document, None)]))

    def read_segments(self, text: str, decisions: Decisions) -> dict[str, Any]:
        """What the page shows: the best segmentation, and what can be done with it."""
        scored = decisions.apply(self._score(text))
        found = best_alternative(self._segmenter, scored)[0]
        document = found[0].document
        return {
            **self._shown(SegmentedRecord("", found)),
            "words": _words(document.starts, document.ends, document.boundaries),
            "spans": list(_spans(scored)),
        }

    def read_phrases(self, text: str, decisions: Decisions) -> dict[str, Any]:
        """The same of marked phrases."""
        scored = self._score(text)
        found = self._marker.candidates(scored, decisions)
        (document,) = self._marker.choose(scored, found)
        spans = zip(found.spans.first_word.tolist(), found.spans.last_word.tolist(), strict=True)
        return {
            **self._shown(SegmentedRecord("", [Alternative(document, None)])),
            "words": _words(found.starts, found.ends, found.boundaries.numpy()),
            "spans": [{"first": first, "last": last} for first, last in spans],
            "candidates": list(_candidates(found)),
        }

    def _shown(self, record: SegmentedRecord) -> dict[str, Any]:
        document = record.document
        return {
            "segmented": as_json(record),
            "segment_topics": self._topics.of_phrases(document, self._vocabulary),
            "similar": self._library.like(document.topics, SIMILAR),
        }

    def _score(self, text: str) -> ScoredTexts:
        if text not in self._kept:
            self._kept[text] = self._segmenter.score([text])
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(text)
        return self._kept[text]


def _words(starts: IntArray, ends: IntArray, boundaries: FloatArray) -> list[dict[str, Any]]:
    """Where words stand, and how probable a boundary after each is."""
    places = zip(starts.tolist(), ends.tolist(), boundaries.tolist(), strict=True)
    return [
        {"start": start, "end": end, "boundary": round(boundary, 4)}
        for start, end, boundary in places
    ]


def _candidates(found: Candidates) -> Iterator[dict[str, Any]]:
    """First and last word of each phrase that might be marked, in the order of the text."""
    likely = found.probabilities.clamp(0, 1)
    for first, more in (likely[:, 1:] >= LEAST_PROBABILITY).nonzero().tolist():
        probability = round(float(likely[first, more + 1]), 5)
        yield {"first": first, "last": first + more + 1, "probability": probability}


def _spans(scored: ScoredTexts) -> Iterator[dict[str, Any]]:
    """First and last word of each span, and its most probable segmentations by their last words."""
    spans = scored.spans
    if not spans.n_spans:
        return
    best = k_best(scored.scores, spans, SHOWN_ALTERNATIVES)
    probabilities = (best.scores - log_partition(scored.scores, spans)).exp().clamp(0, 1)
    by_span: Sequence[Sequence[float]] = probabilities.T.tolist()
    ends = best.ends.numpy()
    for first, last, of_span in zip(
        spans.first_word.tolist(), spans.last_word.tolist(), by_span, strict=True
    ):
        alternatives = [
            {
                "probability": round(probability, 5),
                "ends": (first + np.flatnonzero(ends[rank, first : last + 1])).tolist(),
            }
            for rank, probability in enumerate(of_span)
            if probability > 0
        ]
        yield {"first": first, "last": last, "alternatives": alternatives}
