"""From tokens to spans: which tokens are words of the model, and which ones end a span.

Forms get codes: a word's number in the vocabulary, ``CUT`` (left out, ends the span) or ``SKIP``
(left out, its neighbours become adjacent). All words of a batch are then laid out at once, without
a loop: those of a corpus, or of new text.

>>> vocabulary = Vocabulary(("bank", "river"), np.array([1, 1]), np.array([1, 1]))
>>> encoder = TextEncoder(vocabulary, SpanRules(TokenConfig(), frozenset({"the"})))
>>> encoded = encoder.encode(["The River bank."])
>>> encoded.documents.to_lists(), encoded.starts.tolist(), encoded.ends.tolist()
([[[1, 0]]], [4, 10], [9, 14])
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from segtopic.config import TokenConfig, build
from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.tokenise import MARK, Tokeniser
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.corpus.words import elisions, load_stop_words

CUT, SKIP = -1, -2
BEFORE = {"clean_html": False}
"""Settings of corpora that were made before there were these."""

BoolArray = np.ndarray[Any, np.dtype[np.bool_]]


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
        config = self.config
        return Tokeniser(
            config.lowercase, config.split_hyphens, elisions(self.stop_words), config.clean_html
        )

    @property
    def function_words(self) -> frozenset[str]:
        """The stop words; where these are words like any other, the English ones."""
        return self.stop_words or load_stop_words("english", self.config.lowercase)

    def may_be_word(self, form: str) -> bool:
        """Whether the form is allowed into a vocabulary."""
        return (
            len(form) >= self.config.min_word_length
            and form not in self.stop_words
            and form != MARK
            and (self.config.numbers_are_words or not is_number(form))
        )

    def may_be_words(self, forms: Iterable[str]) -> BoolArray:
        """The same for each of several forms."""
        return np.array([self.may_be_word(form) for form in forms], dtype=bool)

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
        settings = {**BEFORE, **values["settings"]}
        return cls(build(TokenConfig, settings), frozenset(values["stop_words"]))


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
