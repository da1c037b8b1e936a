"""New text in, words of a known vocabulary with character offsets out.

>>> from segtopic.config import TokenConfig
>>> vocabulary = Vocabulary(("bank", "river"), np.array([1, 1]), np.array([1, 1]))
>>> encoder = TextEncoder(vocabulary, SpanRules(TokenConfig(), frozenset({"the"})))
>>> encoded = encoder.encode(["The River bank."])
>>> encoded.documents.to_lists(), encoded.starts.tolist(), encoded.ends.tolist()
([[[1, 0]]], [4, 10], [9, 14])
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.spans import SpanRules, lay_out_spans
from segtopic.corpus.vocabulary import Vocabulary


@dataclass(frozen=True)
class EncodedTexts:
    """Encoded documents; word ``i`` stood at ``text[starts[i]:ends[i]]`` of its document.

    Everything else of a text, such as unknown words, is what lies between: show it as it is.
    """

    documents: Documents
    starts: IntArray
    ends: IntArray


class TextEncoder:
    """Encodes text by the rules and the vocabulary of a corpus."""

    def __init__(self, vocabulary: Vocabulary, rules: SpanRules) -> None:
        self._vocabulary = vocabulary
        self._rules = rules
        self._tokeniser = rules.tokeniser()

    def encode(self, texts: Sequence[str]) -> EncodedTexts:
        """One document for each text; a text without a known word becomes an empty document."""
        batch = self._tokeniser.batch(texts)
        codes = self._rules.codes(batch.forms, self._vocabulary)
        layout = lay_out_spans(
            codes[batch.form_ids] if len(codes) else np.empty(0, dtype=np.int32),
            batch.tokens_per_document,
        )
        starts = batch.starts[layout.tokens]
        return EncodedTexts(layout.documents, starts, starts + batch.lengths[layout.tokens])
