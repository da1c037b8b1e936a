"""What the page reads: a run in, documents drawn at random and typical ones out, all segmented."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from segtopic.report.shown import choose_documents
from segtopic.report.typical import TYPICAL, best_first, candidates, typical_documents
from segtopic.runs import TrainedModel
from segtopic.segment.segmented import SegmentedDocument
from segtopic.segment.segmenter import Segmenter

READ_AT_ONCE = 64
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
        documents: Those that were drawn, and the typical ones.
        drawn: The numbers of the former, in random order.
        typical: For each topic that is shown the numbers of the most typical ones, best first.
    """

    documents: dict[int, SegmentedDocument]
    drawn: list[int]
    typical: list[list[int]]


def choose(run: TrainedModel, n_documents: int, seed: int, typical: bool) -> Chosen:
    """Draw up to ``n_documents``, find candidates if ``typical`` ones are wanted, and the texts."""
    drawn = choose_documents(run.corpus.split, n_documents, seed).tolist()
    perhaps = candidates(run) if typical else []
    return Chosen(drawn, perhaps, run.texts(dict.fromkeys([*drawn, *perhaps])))


def read(run: TrainedModel, chosen: Chosen, progress: Progress) -> Reading:
    """Segment the chosen documents; of candidates only those that are typical."""
    segmenter, texts = Segmenter.of(run), chosen.texts
    documents = _segmented(run, segmenter, {n: texts[n] for n in chosen.drawn}, progress)
    shares = {number: found.topics for number, found in documents.items() if found.words}
    unread = [number for number in chosen.perhaps if number not in documents]
    inferred = segmenter.topics([texts[number] for number in unread])
    shares |= dict(zip(unread, map(run.view.seen, inferred), strict=True))
    n_topics = len(run.view.numbers)
    typical = typical_documents(shares, n_topics, TYPICAL if chosen.perhaps else 0)
    missing = [number for number in best_first(typical) if number not in documents]
    documents |= _segmented(run, segmenter, {n: texts[n] for n in missing}, progress)
    return Reading(documents, chosen.drawn, typical)


def _segmented(
    run: TrainedModel, segmenter: Segmenter, texts: Mapping[int, str], progress: Progress
) -> dict[int, SegmentedDocument]:
    """In the same order; of training documents their own counts are left out."""
    is_training = np.isin(list(texts), run.corpus.split.train)
    found: dict[int, SegmentedDocument] = {}
    for trained_on in (True, False):
        numbers = [n for n, own in zip(texts, is_training, strict=True) if own == trained_on]
        for begin in range(0, len(numbers), READ_AT_ONCE):
            batch = numbers[begin : begin + READ_AT_ONCE]
            segmented = segmenter.segment([texts[number] for number in batch], trained_on)
            seen = [replace(each, topics=run.view.seen(each.topics)) for each in segmented]
            found.update(zip(batch, seen, strict=True))
            progress("segmenting", len(found))
    return {number: found[number] for number in texts}
