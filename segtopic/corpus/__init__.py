"""From any text to encoded documents: readers, tokens, spans, vocabulary, corpus, split."""

from segtopic.corpus.documents import Documents

__all__ = ["Documents"]
