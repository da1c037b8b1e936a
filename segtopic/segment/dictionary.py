"""A dictionary of phrases: documents with marked phrases in, an entry for each phrase out.

Spellings of one phrase are one entry, with how often it stands in how many documents, its topic,
and examples of its use.

>>> document = SegmentedDocument(
...     text="So New York said: NEW YORK!",
...     starts=np.array([3, 7, 12, 18, 22]),
...     ends=np.array([6, 11, 16, 21, 26]),
...     words=("new", "york", "said", "new", "york"),
...     segment_ends=np.array([False, True, True, False, True]),
...     boundaries=np.array([0.1, 1.0, 1.0, 0.2, 1.0]),
...     probabilities=np.array([0.9, 0.0, 1.0, 0.7, 0.0]),
...     topics=np.array([0.25, 0.75]),
...     marked=True,
... )
>>> (entry,) = phrase_dictionary([("a", document)], min_count=2)
>>> entry.text, entry.count, entry.n_documents, entry.topic, entry.topic_share
('New York', 2, 1, 1, 0.75)
>>> entry.examples[0].text
'So New York said: NEW YORK!'
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from segtopic.segment.segmented import FloatArray, Phrase, SegmentedDocument
from segtopic.segment.variants import spelling_key

MOST_EXAMPLES = 3
CONTEXT = 40  # characters before and after an example


@dataclass(frozen=True)
class Example:
    """A phrase in its context, in one line.

    Attributes:
        document: The id.
        text: The context.
        start: First character of the phrase in the document.
        end: One after its last character.
    """

    document: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class DictionaryEntry:
    """A phrase of a corpus.

    Attributes:
        text: Its most frequent spelling.
        spellings: All of them, the most frequent first.
        count: How often it is marked.
        n_documents: In how many documents.
        probability: The mean of its occurrences.
        topic: The one with the largest share in its documents, each as often as it stands there.
        topic_share: That share.
        examples: One a document, of the first few.
    """

    text: str
    spellings: tuple[str, ...]
    count: int
    n_documents: int
    probability: float
    topic: int
    topic_share: float
    examples: tuple[Example, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass
class _Growing:
    """An entry while documents come."""

    topics: FloatArray
    spellings: Counter[str] = field(default_factory=Counter)
    count: int = 0
    n_documents: int = 0
    probability: float = 0.0
    examples: list[Example] = field(default_factory=list)

    def add(self, id_: str, document: SegmentedDocument, phrases: list[Phrase]) -> None:
        self.count += len(phrases)
        self.n_documents += 1
        self.topics += len(phrases) * document.topics
        self.probability += sum(phrase.probability for phrase in phrases)
        self.spellings.update(_in_one_line(phrase.text) for phrase in phrases)
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(_example(id_, document.text, phrases[0]))

    def entry(self) -> DictionaryEntry:
        spellings = tuple(spelling for spelling, _ in self.spellings.most_common())
        topic = int(self.topics.argmax())
        return DictionaryEntry(
            spellings[0],
            spellings,
            self.count,
            self.n_documents,
            self.probability / self.count,
            topic,
            float(self.topics[topic]) / self.count,
            tuple(self.examples),
        )


def phrase_dictionary(
    documents: Iterable[tuple[str, SegmentedDocument]], min_count: int = 2
) -> list[DictionaryEntry]:
    """The entries, the most frequent first, then by spelling.

    Args:
        documents: ids and documents; read once.
        min_count: leave out phrases that are marked less often.
    """
    growing: dict[tuple[str, ...], _Growing] = {}
    for id_, document in documents:
        own: dict[tuple[str, ...], list[Phrase]] = {}
        for phrase in document.phrases:
            if len(phrase.words) > 1:
                own.setdefault(spelling_key(phrase.text), []).append(phrase)
        for key, phrases in own.items():
            if key not in growing:
                growing[key] = _Growing(np.zeros(len(document.topics)))
            growing[key].add(id_, document, phrases)
    entries = [one.entry() for one in growing.values() if one.count >= min_count]
    return sorted(entries, key=lambda entry: (-entry.count, entry.text))


def _example(id_: str, text: str, phrase: Phrase) -> Example:
    begin, end = max(phrase.start - CONTEXT, 0), phrase.end + CONTEXT
    return Example(id_, _in_one_line(text[begin:end]), phrase.start, phrase.end)


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
