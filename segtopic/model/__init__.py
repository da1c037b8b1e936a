"""The segment scorer: packed documents in, log probabilities of all their segments out."""

from segtopic.model.continuations import check_settings
from segtopic.model.packing import PackedBatch, PackedCorpus, TrieLevel
from segtopic.model.scorer import SegmentScorer

__all__ = ["PackedBatch", "PackedCorpus", "SegmentScorer", "TrieLevel", "check_settings"]
