"""Texts in, phrases out: a trained model segments new documents, one by one or by the million."""

from segtopic.segment.job import SegmentJob
from segtopic.segment.segmented import Phrase, SegmentedDocument
from segtopic.segment.segmenter import Segmenter

__all__ = ["Phrase", "SegmentJob", "SegmentedDocument", "Segmenter"]
