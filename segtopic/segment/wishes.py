"""What a user knows better: phrases that are always joined, and phrases that are never joined.

A phrase to join lies in one segment wherever its words stand side by side in a span. A phrase to
split never lies in one segment as a whole. Everything else stays as probable as it was, so the
posteriors are exact under the wishes. A phrase to join that the model has never seen, and takes
for impossible, becomes as probable as its words one by one. Where two phrases to join overlap, the
one that begins first is joined, and of those the longest; so at most ``L`` words are joined, and
some segmentation is always left.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from segtopic.corpus.documents import IntArray
from segtopic.corpus.spans import TextEncoder
from segtopic.errors import ConfigError
from segtopic.lattice import Spans, constrain

WordNumbers = tuple[int, ...]


@dataclass(frozen=True)
class Wishes:
    """Phrases as numbers of words.

    Attributes:
        join: To be in one segment.
        split: Never to be in one segment.
    """

    join: frozenset[WordNumbers] = frozenset()
    split: frozenset[WordNumbers] = frozenset()

    def __post_init__(self) -> None:
        for whole in self.join:
            for part in self.split:
                if any(whole[i : i + len(part)] == part for i in range(len(whole))):
                    raise ConfigError(
                        "a phrase to split lies inside a phrase to join; take one of them away"
                    )

    def apply(self, scores: Tensor, spans: Spans, words: IntArray) -> Tensor:
        """The ``(N, L)`` scores with every segment against the wishes at minus infinity."""
        if not self.join and not self.split:
            return scores
        scores = scores.clone()
        if self.join:
            forbidden = torch.zeros(spans.n_words, dtype=torch.bool)
            for begin, length in self.joins(words, spans):
                forbidden[begin : begin + length - 1] = True
                if scores[begin, length - 1] == -math.inf:  # never seen in training
                    scores[begin, length - 1] = scores[begin : begin + length, 0].sum()
            scores = constrain(scores, spans, forbidden=forbidden)
        if self.split:
            max_length = scores.shape[1]
            for begin, length in self.splits(words, spans):
                # Every segment that covers the phrase: it starts up to L - length words earlier.
                for start in range(max(begin + length - max_length, 0), begin + 1):
                    scores[start, begin + length - start - 1 :] = -math.inf
        return scores

    def joins(self, words: IntArray, spans: Spans) -> Iterator[tuple[int, int]]:
        """First word and length of each phrase that is joined; these do not overlap."""
        free = 0
        for begin, length in _places(self.join, words, spans):
            if begin >= free:
                yield begin, length
                free = begin + length

    def splits(self, words: IntArray, spans: Spans) -> Iterator[tuple[int, int]]:
        """First word and length of each phrase that is split."""
        return _places(self.split, words, spans)


def _places(
    phrases: frozenset[WordNumbers], words: IntArray, spans: Spans
) -> Iterator[tuple[int, int]]:
    """Where phrases stand inside spans: first word and length, by first word, longest first."""
    if not phrases:
        return
    text, span = words.tolist(), spans.span_of_word.tolist()
    by_first: dict[int, list[WordNumbers]] = {}
    for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase)):
        by_first.setdefault(phrase[0], []).append(phrase)
    for begin, word in enumerate(text):
        for phrase in by_first.get(word, ()):
            end = begin + len(phrase)
            if tuple(text[begin:end]) == phrase and span[begin] == span[end - 1]:
                yield begin, len(phrase)


@dataclass(frozen=True)
class PhraseList:
    """The phrases of a file.

    Attributes:
        phrases: Those that the model can join or split.
        unusable: The others: lines with one word, unknown words, or a boundary inside.
    """

    phrases: frozenset[WordNumbers] = frozenset()
    unusable: tuple[str, ...] = ()


def read_phrases(path: Path, encoder: TextEncoder, longest: int | None = None) -> PhraseList:
    """One phrase a line; empty lines and lines that start with ``#`` do not count.

    Args:
        path: of the file.
        encoder: knows the vocabulary.
        longest: the most words that a phrase may have, if there is a limit.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(
            f"{path}: cannot be read ({reason}); give a text file with a phrase a line"
        ) from None
    written = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    phrases: set[WordNumbers] = set()
    unusable = []
    for line in written:
        encoded = encoder.encode([line])
        documents = encoded.documents
        if (
            documents.n_spans != 1
            or documents.n_words < 2
            or (encoded.starts[0], encoded.ends[-1]) != (0, len(line))
        ):
            unusable.append(line)
        elif longest is not None and documents.n_words > longest:
            raise ConfigError(
                f"{path}: '{line}' has {documents.n_words} words, but the model's segments have at "
                f"most {longest}; shorten it, or train with "
                f"--max-segment-length {documents.n_words}"
            )
        else:
            phrases.add(tuple(documents.words.tolist()))
    return PhraseList(frozenset(phrases), tuple(unusable))
