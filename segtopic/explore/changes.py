"""Topics over time and by group: shares and values of documents in, a share for each value out.

The share of a topic in a year is the mean of its shares in the documents of that year; its interval
comes of drawing these documents again and again with replacement. The phrases of a topic in a year
are its own phrases, those first that are frequent in the topic's documents of that year, more so
than in those of all years, and more so in the topic than elsewhere; a long phrase stands for more.
"""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.evaluate.bootstrap import bootstrap_means
from segtopic.explore.values import NOWHERE, Binned
from segtopic.harmless import for_spreadsheet
from segtopic.segment.segmented import FloatArray
from segtopic.topics import Term, Topic
from segtopic.topics.counts import occurrences
from segtopic.topics.phrases import NO_WORD

if TYPE_CHECKING:  # slow to import
    import pandas as pd

CANDIDATES = 60  # phrases of a topic that may be the best ones of some value
REPEATED = 2  # documents of a value at least that hold a phrase of it


@dataclass(frozen=True)
class TopicChange:
    """One topic.

    Attributes:
        topic: The model's number of it.
        name: What it is called.
        share: Of the documents of each value.
        low: Lower end of the interval of each.
        high: Upper end.
        phrases: The topic's phrases in the documents of each value, best first.
    """

    topic: int
    name: str
    share: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    phrases: tuple[tuple[str, ...], ...]

    @property
    def change(self) -> float:
        """From the first value to the last."""
        return self.share[-1] - self.share[0]

    @property
    def is_certain(self) -> bool:
        """Whether the intervals of the first and the last value do not meet."""
        return self.low[-1] > self.high[0] or self.high[-1] < self.low[0]


@dataclass(frozen=True)
class Changes:
    """All topics over the same values.

    Attributes:
        column: What the values are.
        values: Times in their order, or groups.
        documents: How many have each.
        without: How many have none, and are left out.
        topics: The largest first.
    """

    column: str
    values: tuple[str, ...]
    documents: tuple[int, ...]
    without: int
    topics: tuple[TopicChange, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it, and as the page takes it."""
        return {
            "column": self.column,
            "values": list(self.values),
            "documents": list(self.documents),
            "without": self.without,
            "topics": [
                {
                    key: [list(each) if isinstance(each, tuple) else each for each in value]
                    if isinstance(value, tuple)
                    else value
                    for key, value in asdict(topic).items()
                }
                for topic in self.topics
            ],
        }

    def to_frame(self) -> "pd.DataFrame":
        """A row for each topic and value."""
        import pandas as pd

        return pd.read_csv(io.StringIO(self.to_csv()), dtype={"value": str}, keep_default_na=False)

    def to_csv(self) -> str:
        """A line for each topic and value, safe to open in a spreadsheet."""
        content = io.StringIO()
        writer = csv.writer(content, lineterminator="\n")
        header = ("column", "value", "documents", "topic", "name", "share", "low", "high")
        writer.writerow((*header, "phrases"))
        for topic in self.topics:
            for place, value in enumerate(self.values):
                names = map(for_spreadsheet, (self.column, value))
                figures = (topic.share[place], topic.low[place], topic.high[place])
                writer.writerow(
                    (
                        *names,
                        self.documents[place],
                        topic.topic,
                        for_spreadsheet(topic.name),
                        *(round(figure, 6) for figure in figures),
                        for_spreadsheet("; ".join(topic.phrases[place])),
                    )
                )
        return content.getvalue()


def changes(
    topics: Sequence[Topic],
    shares: FloatArray,
    documents: Documents,
    vocabulary: Vocabulary,
    values: Binned,
    n_phrases: int = 5,
    seed: int = 0,
) -> Changes:
    """What becomes of topics from value to value.

    Args:
        topics: with their phrases, in any order.
        shares: ``(D, T)`` of the topics in that order.
        documents: their words.
        vocabulary: of the words.
        values: of the documents.
        n_phrases: of each topic and value, at most.
        seed: of the intervals.
    """
    intervals = [
        bootstrap_means(shares[values.place == place], seed=seed)
        for place in range(len(values.labels))
    ]
    spoken = _phrases_by_value(topics, shares, documents, vocabulary, values, n_phrases)
    found = tuple(
        TopicChange(
            topic=topic.number,
            name=topic.label,
            share=tuple(float(each.mean[column]) for each in intervals),
            low=tuple(float(each.low[column]) for each in intervals),
            high=tuple(float(each.high[column]) for each in intervals),
            phrases=spoken[column],
        )
        for column, topic in enumerate(topics)
    )
    without = int((values.place == NOWHERE).sum())
    return Changes(values.column, values.labels, values.counts, without, found)


def _phrases_by_value(
    topics: Sequence[Topic],
    shares: FloatArray,
    documents: Documents,
    vocabulary: Vocabulary,
    values: Binned,
    n_phrases: int,
) -> list[tuple[tuple[str, ...], ...]]:
    texts = list(dict.fromkeys(term.text for topic in topics for term in topic.phrases))
    rows = {text: row for row, text in enumerate(texts)}
    counts = _counts_by_document(texts, documents, vocabulary)
    known = values.place != NOWHERE
    of_value = sparse.csr_array(
        (np.ones(known.sum()), (np.flatnonzero(known), values.place[known])),
        shape=(len(known), len(values.labels)),
    )
    held = (counts > 0).astype(np.float64) @ of_value  # documents with the phrase
    words = documents.words_per_document
    found = []
    for column, topic in enumerate(topics):
        own = [rows[term.text] for term in topic.phrases]
        weights = of_value.multiply(shares[:, [column]]).tocsr()
        total = np.maximum(weights.T @ words, 1e-12)
        rate = (counts[own] @ weights).toarray() / total
        overall = (counts[own] @ shares[:, column]) / max(float(shares[:, column] @ words), 1e-12)
        lift = rate / np.maximum(overall, 1e-12)[:, None]
        weight = np.array([_weight(term) for term in topic.phrases])[:, None]
        score = np.where(held[own].toarray() >= REPEATED, weight * rate * np.log1p(lift), 0.0)
        best = np.argsort(-score, axis=0, kind="stable")[:n_phrases]
        found.append(
            tuple(
                tuple(texts[own[row]] for row in best[:, place] if score[row, place] > 0)
                for place in range(len(values.labels))
            )
        )
    return found


def _weight(term: Term) -> float:
    """As in a list by relevance: words, and how much more probable the topic makes them."""
    return len(term.text.split(" ")) * max(math.log(term.lift), 0.0)


def _counts_by_document(
    texts: Sequence[str], documents: Documents, vocabulary: Vocabulary
) -> sparse.csr_array:
    """``(P, D)``: how often each phrase stands in each document."""
    numbers = [[vocabulary.numbers[word] for word in text.split(" ")] for text in texts]
    longest = max(map(len, numbers), default=1)
    phrases: IntArray = np.full((len(numbers), longest), NO_WORD, dtype=np.int64)
    for row, words in enumerate(numbers):
        phrases[row, : len(words)] = words
    found = occurrences(documents, phrases)
    document = np.repeat(np.arange(documents.n_documents), documents.words_per_document)
    return sparse.csr_array(
        (np.ones(len(found.phrase)), (found.phrase, document[found.place])),
        shape=(len(numbers), documents.n_documents),
    )


def sparkline(shares: Sequence[float]) -> str:
    """A share for each value as a bar, the largest at full height.

    >>> sparkline([0.0, 0.1, 0.4])
    '▁▃█'
    """
    bars, most = "▁▂▃▄▅▆▇█", max(shares, default=0.0)
    if not most > 0:
        return bars[0] * len(shares)
    heights = (math.floor(share / most * len(bars)) for share in shares)
    return "".join(bars[min(height, len(bars) - 1)] for height in heights)
