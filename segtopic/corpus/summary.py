"""What a preparation found and left out: the numbers that a user wants to see."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from segtopic.config import build


@dataclass(frozen=True)
class Summary:
    """Counts of a prepared corpus.

    Attributes:
        documents_read: documents that the source held.
        documents: those that are in the corpus.
        dropped_empty: documents without any text.
        dropped_no_known_word: documents whose words are all left out.
        skipped_lines: what could not be read and was skipped on request, with the first few.
        duplicate_ids: names that came again and got a number, with the first few.
        words_read: words in the documents read, of every kind.
        stop_words: how many of them are stop words.
        never_words: numbers, single letters and the like, which no vocabulary takes in.
        unknown_words: how many of the others are outside the vocabulary.
        words: words in the corpus.
        vocabulary: different words in the corpus.
        spans: runs of words between boundaries.
        longest_span: words in the longest.
        most_frequent_unknown: the words outside the vocabulary that came most often.
    """

    documents_read: int
    documents: int
    dropped_empty: int
    dropped_no_known_word: int
    skipped_lines: int
    skipped_examples: list[str]
    duplicate_ids: int
    duplicate_examples: list[str]
    words_read: int
    stop_words: int
    never_words: int
    unknown_words: int
    words: int
    vocabulary: int
    spans: int
    longest_span: int
    most_frequent_unknown: list[tuple[str, int]]

    @property
    def mean_span(self) -> float:
        """Words in a span."""
        return self.words / self.spans if self.spans else 0.0

    @property
    def unknown_share(self) -> float:
        """Words outside the vocabulary, among those that could have been in it."""
        content = self.words_read - self.stop_words - self.never_words
        return self.unknown_words / content if content else 0.0

    def to_dict(self) -> dict[str, Any]:
        """For JSON, with the derived numbers."""
        derived = {"mean_span": self.mean_span, "unknown_share": self.unknown_share}
        return {**asdict(self), **derived}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Summary":
        """The inverse of :meth:`to_dict`."""
        stored = {k: v for k, v in values.items() if k not in ("mean_span", "unknown_share")}
        stored["most_frequent_unknown"] = [
            (word, count) for word, count in stored["most_frequent_unknown"]
        ]
        return build(cls, stored)
