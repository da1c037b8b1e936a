"""From tokens to spans: which tokens are words of the model, and which ones end a span.

Forms get codes: a word's number in the vocabulary, ``CUT`` (left out, ends the span) or ``SKIP``
(left out, its neighbours become adjacent). All words of a batch are then laid out at once, without
a loop.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from segtopic.config import TokenConfig, build
from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.stop_words import elisions, load_stop_words
from segtopic.corpus.tokenise import MARK, Tokeniser
from segtopic.corpus.vocabulary import Vocabulary

CUT, SKIP = -1, -2


@dataclass(frozen=True)
class SpanRules:
    """What a word is and what ends a span, with the stop words in full.

    A model keeps these with its vocabulary, so that new text is cut as its training text was.
    """

    config: TokenConfig
    stop_words: frozenset[str]

    @classmethod
    def from_config(cls, config: TokenConfig) -> "SpanRules":
        """Load the stop words that the settings name."""
        own = {field.name: getattr(config, field.name) for field in fields(TokenConfig)}
        return cls(TokenConfig(**own), load_stop_words(config.stop_words, config.lowercase))

    def tokeniser(self) -> Tokeniser:
        """A tokeniser for these rules."""
        return Tokeniser(
            self.config.lowercase, self.config.split_hyphens, elisions(self.stop_words)
        )

    def may_be_word(self, form: str) -> bool:
        """Whether the form is allowed into a vocabulary."""
        return (
            len(form) >= self.config.min_word_length
            and form not in self.stop_words
            and form != MARK
            and (self.config.numbers_are_words or not is_number(form))
        )

    def codes(self, forms: Iterable[str], vocabulary: Vocabulary) -> IntArray:
        """The code of each form."""
        unknown = CUT if self.config.unknown_words_end_spans else SKIP
        left_out = dict.fromkeys(self.stop_words, CUT if self.config.stop_words_end_spans else SKIP)
        left_out[MARK] = CUT if self.config.punctuation_ends_spans else SKIP
        numbers = vocabulary.numbers
        return np.array(
            [left_out[form] if form in left_out else numbers.get(form, unknown) for form in forms],
            dtype=np.int32,
        )

    def to_dict(self) -> dict[str, Any]:
        """For a JSON file."""
        return {"settings": asdict(self.config), "stop_words": sorted(self.stop_words)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "SpanRules":
        """The inverse of :meth:`to_dict`."""
        return cls(build(TokenConfig, values["settings"]), frozenset(values["stop_words"]))


@dataclass(frozen=True)
class WordLayout:
    """The words of some documents, and which tokens they were: ``(N,)`` ``tokens``."""

    documents: Documents
    tokens: IntArray


def lay_out_spans(codes: IntArray, tokens_per_document: IntArray) -> WordLayout:
    """Cut the documents into spans, from the ``(N,)`` codes of their tokens."""
    tokens = np.flatnonzero(codes >= 0)
    document = np.repeat(np.arange(len(tokens_per_document)), tokens_per_document)[tokens]
    cuts_before = np.cumsum(codes == CUT)[tokens]
    starts_span = np.ones(len(tokens), dtype=bool)
    starts_span[1:] = (np.diff(document) != 0) | (np.diff(cuts_before) != 0)
    first_words = np.flatnonzero(starts_span)
    return WordLayout(
        Documents(
            words=codes[tokens].astype(np.int32),
            span_lengths=np.diff(np.append(first_words, len(tokens))).astype(np.int32),
            spans_per_document=np.bincount(
                document[first_words], minlength=len(tokens_per_document)
            ).astype(np.int32),
        ),
        tokens,
    )


def is_number(form: str) -> bool:
    """Whether the form holds no letter."""
    return not any(character.isalpha() for character in form)
