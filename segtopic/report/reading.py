"""What the page reads: a run in, documents drawn at random and typical ones out, all segmented.

Marked and key phrases are read off the same scores.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from segtopic.report.shown import choose_documents
from segtopic.report.typical import TYPICAL, best_first, candidates, typical_documents
from segtopic.runs import TrainedModel
from segtopic.segment.key_phrases import KeyPhraseFinder
from segtopic.segment.segmented import SegmentedDocument

KEY_PHRASES = 8  # of a document
Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class Chosen:
    """Documents by their numbers, before any is read.

    Attributes:
        drawn: At random, in random order.
        perhaps: That may be typical of a topic.
        texts: Of all of them.
    """

    drawn: list[int]
    perhaps: list[int]
    texts: dict[int, str]


@dataclass(frozen=True)
class Reading:
    """Segmented documents by their numbers.

    Attributes:
        documents: Those that were drawn, and the typical ones, in their best segmentation.
        marked: The same with marked phrases.
        key_phrases: Of each of them, best first.
        drawn: The numbers of the former, in random order.
        typical: For each topic that is shown the numbers of the most typical ones, best first.
    """

    documents: dict[int, SegmentedDocument]
    marked: dict[int, SegmentedDocument]
    key_phrases: dict[int, list[str]]
    drawn: list[int]
    typical: list[list[int]]


def choose(run: TrainedModel, n_documents: int, seed: int, typical: bool) -> Chosen:
    """Draw up to ``n_documents``, find candidates if ``typical`` ones are wanted, and the texts."""
    drawn = choose_documents(run.corpus.split, n_documents, seed).tolist()
    perhaps = candidates(run) if typical else []
    return Chosen(drawn, perhaps, run.texts(dict.fromkeys([*drawn, *perhaps])))


def read(run: TrainedModel, chosen: Chosen, progress: Progress) -> Reading:
    """Segment the chosen documents; of candidates only those that are typical."""
    finder, texts = KeyPhraseFinder.of(run), chosen.texts
    segmenter = finder.marker.segmenter
    found = _read(run, finder, {n: texts[n] for n in chosen.drawn}, progress)
    shares = {number: each.document.topics for number, each in found.items() if each.document.words}
    unread = [number for number in chosen.perhaps if number not in found]
    inferred = segmenter.topics([texts[number] for number in unread])
    shares |= dict(zip(unread, map(run.view.seen, inferred), strict=True))
    n_topics = len(run.view.numbers)
    typical = typical_documents(shares, n_topics, TYPICAL if chosen.perhaps else 0)
    missing = [number for number in best_first(typical) if number not in found]
    found |= _read(run, finder, {n: texts[n] for n in missing}, progress)
    return Reading(
        {number: each.document for number, each in found.items()},
        {number: each.marked for number, each in found.items()},
        {number: each.key_phrases for number, each in found.items()},
        chosen.drawn,
        typical,
    )


class _Read(NamedTuple):
    document: SegmentedDocument
    marked: SegmentedDocument
    key_phrases: list[str]


def _read(
    run: TrainedModel, finder: KeyPhraseFinder, texts: Mapping[int, str], progress: Progress
) -> dict[int, _Read]:
    """In the same order; of training documents their own counts are left out."""
    segmenter = finder.marker.segmenter
    is_training = np.isin(list(texts), run.corpus.split.train)
    found: dict[int, _Read] = {}
    for trained_on in (True, False):
        numbers = [n for n, own in zip(texts, is_training, strict=True) if own == trained_on]
        for batch in segmenter.batches(numbers, lambda number: len(texts[number])):
            scored = segmenter.score([texts[number] for number in batch], trained_on)
            segmented = segmenter.read_off(scored, segmenter.best(scored))
            marked = finder.marker.read_off(scored)
            phrases = finder.choose(scored, marked, KEY_PHRASES)
            for number, *both, key in zip(batch, segmented, marked, phrases, strict=True):
                best, others = (replace(each, topics=run.view.seen(each.topics)) for each in both)
                found[number] = _Read(best, others, [phrase.text for phrase in key])
            progress("segmenting", len(found))
    return {number: found[number] for number in texts}
