"""The segment scorer: packed documents in, log probabilities of all their segments out."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from segtopic.model.continuations import check_settings
    from segtopic.model.packing import PackedBatch, TrieLevel, pack, packed_batches
    from segtopic.model.scorer import SegmentScorer

__all__ = [
    "PackedBatch",
    "SegmentScorer",
    "TrieLevel",
    "check_settings",
    "pack",
    "packed_batches",
]

# Imported when asked for: they need torch, and the first topics, by LDA, do not.
_LATER = {
    "check_settings": "segtopic.model.continuations",
    "PackedBatch": "segtopic.model.packing",
    "TrieLevel": "segtopic.model.packing",
    "pack": "segtopic.model.packing",
    "packed_batches": "segtopic.model.packing",
    "SegmentScorer": "segtopic.model.scorer",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'segtopic.model' has no attribute '{name}'")
