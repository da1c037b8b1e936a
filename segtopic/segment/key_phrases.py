"""Key phrases: a document with marked phrases in, those that say what it is about out.

A phrase counts each time it stands in the document, by the probability that it is a phrase there,
and as much as its words are particular: rare in the training documents, and liked by the topics of
this document more than by all texts. Spellings of one phrase count together, and of two phrases of
which one is a part of the other only the better one is kept.

>>> document = SegmentedDocument(
...     text="New York, good day! NEW YORK",
...     starts=np.array([0, 4, 10, 15, 20, 24]),
...     ends=np.array([3, 8, 14, 18, 23, 28]),
...     words=("new", "york", "good", "day", "new", "york"),
...     segment_ends=np.array([False, True, False, True, False, True]),
...     boundaries=np.array([0.1, 1.0, 0.1, 1.0, 0.2, 1.0]),
...     probabilities=np.array([0.9, 0.0, 0.9, 0.0, 0.7, 0.0]),
...     topics=np.array([0.3, 0.7]),
... )
>>> rarity = {"new": 1.0, "york": 3.0, "good": 1.0, "day": 1.0}
>>> [(phrase.text, round(phrase.score, 2)) for phrase in key_phrases(document, rarity)]
[('New York', 3.2), ('good day', 0.9)]
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

from segtopic.corpus.vocabulary import Vocabulary
from segtopic.runs import TrainedModel
from segtopic.segment.marking import Marker
from segtopic.segment.segmented import FloatArray, Phrase, SegmentedDocument
from segtopic.segment.segmenter import ScoredTexts
from segtopic.segment.variants import is_part_of, spelling_key


class KeyPhrase(NamedTuple):
    """A phrase of a document, with all its spellings."""

    text: str
    """Its most frequent spelling, in one line."""
    score: float
    occurrences: tuple[Phrase, ...]
    """In the order of the text."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        places = [
            {
                "text": phrase.text,
                "start": phrase.start,
                "end": phrase.end,
                "probability": round(phrase.probability, 5),
            }
            for phrase in self.occurrences
        ]
        return {"text": self.text, "score": round(self.score, 5), "occurrences": places}


def key_phrases(
    document: SegmentedDocument, values: Mapping[str, float], n_phrases: int = 10
) -> list[KeyPhrase]:
    """The best phrases of several words, best first; fewer if there are not so many.

    Args:
        document: with marked phrases, or segmented.
        values: how particular each word is, such as :func:`word_rarity`.
        n_phrases: at most.
    """
    ranked = sorted(_all_phrases(document, values), key=lambda found: -found[1].score)
    chosen: list[tuple[tuple[str, ...], KeyPhrase]] = []
    for key, phrase in ranked:
        if len(chosen) == n_phrases:
            break
        if not any(is_part_of(key, other) or is_part_of(other, key) for other, _ in chosen):
            chosen.append((key, phrase))
    return [phrase for _, phrase in chosen]


def _all_phrases(
    document: SegmentedDocument, values: Mapping[str, float]
) -> Iterator[tuple[tuple[str, ...], KeyPhrase]]:
    spellings: dict[tuple[str, ...], list[Phrase]] = {}
    for phrase in document.phrases:
        if len(phrase.words) > 1:
            spellings.setdefault(spelling_key(phrase.text), []).append(phrase)
    for key, phrases in spellings.items():
        score = sum(
            phrase.probability * sum(values[word] for word in phrase.words) / len(phrase.words)
            for phrase in phrases
        )
        yield key, KeyPhrase(usual_spelling(phrases), score, tuple(phrases))


def usual_spelling(phrases: Sequence[Phrase]) -> str:
    """The most frequent one, in one line; of several the first."""
    written = Counter(" ".join(phrase.text.split()) for phrase in phrases)
    return written.most_common(1)[0][0]


def word_rarity(vocabulary: Vocabulary, n_documents: int) -> dict[str, float]:
    """The smoothed inverse document frequency of each word in a corpus of so many documents."""
    values = _rarity(vocabulary, n_documents)
    return dict(zip(vocabulary.words, values.tolist(), strict=True))


def _rarity(vocabulary: Vocabulary, n_documents: int) -> FloatArray:
    values: FloatArray = np.log((1 + n_documents) / (1 + vocabulary.document_counts)).clip(min=0)
    return values


@dataclass(frozen=True, eq=False)
class KeyPhraseFinder:
    """Finds the key phrases of new documents.

    Attributes:
        marker: Marks phrases.
        rarity: ``(V,)`` of the words in the training documents.
        log_frequencies: ``(V,)`` of the words there.
    """

    marker: Marker
    rarity: FloatArray
    log_frequencies: FloatArray

    @classmethod
    def of(cls, trained: TrainedModel, marker: Marker | None = None) -> "KeyPhraseFinder":
        """With a trained model; its own marker if none is given."""
        vocabulary = trained.vocabulary
        # Beside the most widespread word, so that a run without its documents has them, too.
        rarity = _rarity(vocabulary, int(vocabulary.document_counts.max()))
        frequencies = np.log(vocabulary.counts / vocabulary.counts.sum())
        return cls(marker or Marker.of(trained), rarity, frequencies)

    def find(
        self, texts: Sequence[str], n_phrases: int = 10, trained_on: bool = False
    ) -> list[list[KeyPhrase]]:
        """Key phrases of each text; see :meth:`Segmenter.score` for texts of the training."""
        found: list[list[KeyPhrase]] = []
        for batch in self.marker.segmenter.batches(texts, len):
            found += self.read_off(self.marker.segmenter.score(batch, trained_on), n_phrases)
        return found

    def read_off(self, scored: ScoredTexts, n_phrases: int) -> list[list[KeyPhrase]]:
        """Key phrases of scored texts."""
        return self.choose(scored, self.marker.read_off(scored), n_phrases)

    def choose(
        self, scored: ScoredTexts, documents: Sequence[SegmentedDocument], n_phrases: int
    ) -> list[list[KeyPhrase]]:
        """Key phrases of scored texts, among the marked ones."""
        model, words = self.marker.segmenter.model, self.marker.segmenter.vocabulary
        with torch.no_grad():
            topics = torch.from_numpy(scored.topics)
            common = None if scored.common is None else torch.from_numpy(scored.common)
            by_topics = model.first_word_distribution(topics, common).numpy()
        found = []
        for document, shares in zip(documents, by_topics, strict=True):
            numbers = {word: words.numbers.get(word) for word in set(document.words)}
            values = {word: self._particular(shares, number) for word, number in numbers.items()}
            found.append(key_phrases(document, values, n_phrases))
        return found

    def _particular(self, shares: FloatArray, number: int | None) -> float:
        """How particular a word is; one outside the vocabulary is as rare as the rarest in it."""
        if number is None:
            return float(self.rarity.max())
        return float(self.rarity[number]) + self._liked(shares, number)

    def _liked(self, shares: FloatArray, number: int) -> float:
        """How many nats more often than all texts the document's topics have the word."""
        share = max(float(shares[number]), np.finfo(np.float64).tiny)
        return max(float(np.log(share) - self.log_frequencies[number]), 0.0)
