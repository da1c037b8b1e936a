"""Any number of documents in, segmented documents out, batch by batch in constant memory."""

from collections.abc import Callable, Iterable, Iterator

from segtopic.corpus.records import Record
from segtopic.explore.alternatives import Alternative
from segtopic.explore.formats import SegmentedRecord
from segtopic.explore.segmenter import ScoredTexts, Segmenter

Choice = Callable[[Segmenter, ScoredTexts], list[list[Alternative]]]


def segment_records(
    segmenter: Segmenter, records: Iterable[Record], choose: Choice
) -> Iterator[list[SegmentedRecord]]:
    """Every record once, in order; ``choose`` tells which segmentations are wanted."""
    for batch in segmenter.batches(records, lambda record: len(record.text)):
        scored = segmenter.score([record.text for record in batch])
        yield [
            SegmentedRecord(record.name or "", alternatives)
            for record, alternatives in zip(batch, choose(segmenter, scored), strict=True)
        ]
