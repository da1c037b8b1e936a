"""What a trained model has found: topics as words and phrases, and the phrases of new text."""

from segtopic.explore.segmented import Phrase, SegmentedDocument
from segtopic.explore.segmenter import Segmenter
from segtopic.explore.topics import Term, Topic, TypicalDocument, describe_topics

__all__ = [
    "Phrase",
    "SegmentedDocument",
    "Segmenter",
    "Term",
    "Topic",
    "TypicalDocument",
    "describe_topics",
]
