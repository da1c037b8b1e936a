"""The documents of the page: which ones, and how their segmentation is written down.

Half of them, if there are so many, are test documents, which the model has not seen; the choice
depends on the seed only. A document is its text and two rows of *pieces*, one of its segments and
one of its marked phrases. A piece is five whole numbers: characters since the last piece, its own
characters, its words, its probability in percent and its topic. Lengths are in UTF-16 units, as
browsers count.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from segtopic.corpus.documents import IntArray
from segtopic.corpus.split import Split
from segtopic.harmless import for_page, for_script
from segtopic.segment.segmented import FloatArray, SegmentedDocument

LONGEST_TEXT = 6000
SMALLEST_SHARE = 0.02  # of a topic in a document that is still told
# In bytes, so that the page stays under 5 MB with everything else on it.
LARGEST_DOCUMENTS = 3_600_000
IN_WORDS = {"train": "training", "dev": "development", "test": "test"}  # parts of a split


@dataclass(frozen=True)
class ShownDocument:
    """A document on the page.

    Attributes:
        id: Its name.
        part: Test, training or development.
        text: Its beginning, made visible.
        characters: Of the whole text.
        best: Pieces of the beginning; see the docstring of the module.
        marked: The same of marked phrases.
        topics: Places and shares of its topics, the largest first.
        key_phrases: What it is about, best first.
    """

    id: str
    part: str
    text: str
    characters: int
    best: list[int]
    marked: list[int]
    topics: list[tuple[int, float]]
    key_phrases: list[str]


def choose_documents(split: Split, n_documents: int, seed: int) -> IntArray:
    """Up to ``n_documents`` numbers in random order, test documents and others by turns."""
    generator = np.random.default_rng(seed)
    test = generator.permutation(split.test)
    others = generator.permutation(np.concatenate([split.train, split.dev]))
    both = min(len(test), len(others))
    by_turns = np.stack([test[:both], others[:both]], axis=1).ravel()
    order = np.concatenate([by_turns, test[both:], others[both:]])
    return order[:n_documents].astype(np.int64)


def with_examples(order: Sequence[int], n_documents: int, examples: Sequence[int]) -> list[int]:
    """The first documents; the last of them make room for examples that are not among them.

    >>> with_examples([4, 2, 7, 9, 1], 3, [2, 9])
    [4, 2, 9]
    """
    shown = examples[:n_documents]
    others = [number for number in order if number not in shown][: n_documents - len(shown)]
    chosen = {*shown, *others}
    return [number for number in order if number in chosen]


def part_of_document(split: Split, document: int) -> str:
    """In words."""
    return IN_WORDS[split.part_of(document)]


class Coloured(NamedTuple):
    """A document with phrases, and the place of each one's topic."""

    document: SegmentedDocument
    topics: Sequence[int]


def show_document(
    name: str,
    part: str,
    segments: Coloured,
    marked: Coloured,
    key_phrases: Sequence[str],
    order: IntArray,
) -> ShownDocument:
    """A segmented document as the page holds it.

    Args:
        name: of the document.
        part: of the split.
        segments: in the best segmentation.
        marked: the same with marked phrases.
        key_phrases: of the document.
        order: ``(K,)`` model's number of the topic at each place.
    """
    document = segments.document
    end = min(_end(document), _end(marked.document))
    return ShownDocument(
        id=for_page(name),
        part=part,
        text=for_page(document.text[:end]),
        characters=len(document.text),
        best=_pieces(segments, end),
        marked=_pieces(marked, end),
        topics=_largest(document.topics[order]),
        key_phrases=[for_page(phrase) for phrase in key_phrases],
    )


def _end(document: SegmentedDocument) -> int:
    """Where the page leaves a text, in no phrase if it can be."""
    if len(document.text) <= LONGEST_TEXT:
        return len(document.text)
    cut = (p for p in document.phrases if p.start < LONGEST_TEXT < p.end)
    return max(next((p.start - 1 for p in cut), LONGEST_TEXT), 0)


def _pieces(coloured: Coloured, end: int) -> list[int]:
    document = coloured.document
    pieces: list[int] = []
    for phrase, gap, topic in zip(document.phrases, document.gaps, coloured.topics, strict=False):
        if phrase.end > end:
            break
        lengths = [utf16_length(gap), utf16_length(phrase.text), len(phrase.words)]
        pieces += [*lengths, round(100 * phrase.probability), topic]
    return pieces


def fitting(
    documents: Iterable[ShownDocument], most_bytes: int = LARGEST_DOCUMENTS
) -> list[ShownDocument]:
    """As many of the first documents as the page has room for."""
    used, chosen = 0, []
    for document in documents:
        used += len(for_script(vars(document)).encode())
        if used > most_bytes:
            break
        chosen.append(document)
    return chosen


def utf16_length(text: str) -> int:
    """How long a browser finds a text."""
    return len(text) + sum(character > "\uffff" for character in text)


def _largest(shares: FloatArray) -> list[tuple[int, float]]:
    places = np.argsort(-shares, kind="stable").tolist()
    told = [place for place in places if shares[place] >= SMALLEST_SHARE] or places[:1]
    return [(place, round(float(shares[place]), 3)) for place in told]
