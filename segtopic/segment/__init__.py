"""Texts in, phrases out: a trained model segments new documents, one by one or by the million."""

from segtopic.segment.dictionary import DictionaryEntry, phrase_dictionary
from segtopic.segment.job import SegmentJob
from segtopic.segment.key_phrases import KeyPhrase, KeyPhraseFinder
from segtopic.segment.marking import Marker
from segtopic.segment.segmented import Phrase, SegmentedDocument
from segtopic.segment.segmenter import Segmenter

__all__ = [
    "DictionaryEntry",
    "KeyPhrase",
    "KeyPhraseFinder",
    "Marker",
    "Phrase",
    "SegmentJob",
    "SegmentedDocument",
    "Segmenter",
    "phrase_dictionary",
]
