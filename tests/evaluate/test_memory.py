"""The memory of baselines does not grow with the training text."""

import tracemalloc

import numpy as np

from segtopic.corpus import Documents, documents, repeated
from segtopic.evaluate.baselines.bigram import bigram_continuation

VOCABULARY = 100


def text(n_words, n_documents=200):
    """So many words in spans of four, in documents of equal size."""
    words = np.random.default_rng(0).integers(0, VOCABULARY, n_words, dtype=np.int32)
    spans = np.full(n_documents, n_words // n_documents // 4, dtype=np.int32)
    return Documents(words, np.full(n_words // 4, 4, dtype=np.int32), spans)


def peak_bytes(train, test):
    tracemalloc.start()
    try:
        assert bigram_continuation(train, test, VOCABULARY) < 0
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_bigram_of_four_times_the_text_takes_hardly_more_memory(monkeypatch):
    monkeypatch.setattr(documents, "AT_ONCE", 1 << 12)
    for limit in ("COUNTED_WORDS", "CHUNK_WORDS", "MERGED"):
        monkeypatch.setattr(repeated, limit, 1 << 15)
    test = text(8000)
    peak_bytes(test, test)  # imports
    few, many = 400_000, 1_600_000
    once, four_times = (peak_bytes(text(n_words), test) for n_words in (few, many))
    assert four_times - once < many - few  # a byte a word; a number has four or eight
