"""A segmented document: its text, and where its phrases stand in it.

>>> document = SegmentedDocument(
...     text="New York, New York!",
...     starts=np.array([0, 4, 10, 14]),
...     ends=np.array([3, 8, 13, 18]),
...     words=("new", "york", "new", "york"),
...     segment_ends=np.array([False, True, False, True]),
...     boundaries=np.array([0.1, 1.0, 0.2, 1.0]),
...     probabilities=np.array([0.9, 0.0, 0.8, 0.0]),
...     topics=np.array([0.3, 0.7]),
... )
>>> [(phrase.text, phrase.start, phrase.probability) for phrase in document.phrases]
[('New York', 0, 0.9), ('New York', 10, 0.8)]
>>> document.gaps
['', ', ', '!']
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from segtopic.corpus.documents import IntArray

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Phrase:
    """One segment of a document.

    Attributes:
        text: As it stands in the document.
        words: As the vocabulary spells them.
        start: Its first character.
        end: One after its last character.
        probability: That these words, and no others beside them, are one segment.
    """

    text: str
    words: tuple[str, ...]
    start: int
    end: int
    probability: float


@dataclass(frozen=True, eq=False)
class SegmentedDocument:
    """A document of ``N`` known words; what lies between them is kept too.

    Attributes:
        text: The document as it was given.
        starts: ``(N,)`` first character of each word.
        ends: ``(N,)`` one after the last character of each word.
        words: The words as the vocabulary spells them.
        segment_ends: ``(N,)`` true where a phrase ends after the word.
        boundaries: ``(N,)`` probability that a phrase ends after the word, over all segmentations.
        probabilities: ``(N,)`` at the first word of each phrase, the probability of that phrase.
        topics: ``(K,)`` shares of the topics.
        common: Share of the words that all documents have, beside those of topics; ``None`` if the
            model does not keep them apart.
        marked: Whether only segments of several words are phrases; the others are just words.
    """

    text: str
    starts: IntArray
    ends: IntArray
    words: tuple[str, ...]
    segment_ends: BoolArray
    boundaries: FloatArray
    probabilities: FloatArray
    topics: FloatArray
    common: float | None = None
    marked: bool = False

    @property
    def phrases(self) -> list[Phrase]:
        """The phrases, in the order of the text."""
        if self.marked:
            return [segment for segment in self.segments if len(segment.words) > 1]
        return self.segments

    @cached_property
    def segments(self) -> list[Phrase]:
        """All segments, in the order of the text; every known word is in one of them."""
        return [
            Phrase(self.text[start:end], self.words[first : last + 1], start, end, probability)
            for first, last, start, end, probability in self.places()
        ]

    def places(self) -> Iterator[tuple[int, int, int, int, float]]:
        """Of all segments: first and last word, first character and one after the last, and their
        probability. For those who write many documents."""
        last = np.flatnonzero(self.segment_ends)
        first = np.zeros_like(last)
        first[1:] = last[:-1] + 1
        return zip(
            first.tolist(),
            last.tolist(),
            self.starts[first].tolist(),
            self.ends[last].tolist(),
            self.probabilities[first].tolist(),
            strict=True,
        )

    @property
    def gaps(self) -> list[str]:
        """The text before each phrase, and after the last one."""
        bounds = [0, *(place for p in self.phrases for place in (p.start, p.end)), len(self.text)]
        return [self.text[a:b] for a, b in zip(bounds[::2], bounds[1::2], strict=True)]
