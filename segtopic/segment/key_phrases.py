"""Key phrases: a segmented document in, the phrases that say what it is about out.

>>> document = SegmentedDocument(
...     text="New York, New York! Good day",
...     starts=np.array([0, 4, 10, 14, 20, 25]),
...     ends=np.array([3, 8, 13, 18, 24, 28]),
...     words=("new", "york", "new", "york", "good", "day"),
...     segment_ends=np.array([False, True, False, True, False, True]),
...     boundaries=np.array([0.1, 1.0, 0.2, 1.0, 0.1, 1.0]),
...     probabilities=np.array([0.9, 0.0, 0.8, 0.0, 0.9, 0.0]),
...     topics=np.array([0.3, 0.7]),
... )
>>> rarity = {"new": 1.0, "york": 3.0, "good": 1.0, "day": 1.0}
>>> [(phrase.text, round(phrase.score, 2)) for phrase in key_phrases(document, rarity)]
[('New York', 3.4), ('Good day', 0.9)]
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from segtopic.corpus.vocabulary import Vocabulary
from segtopic.segment.segmented import SegmentedDocument


class KeyPhrase(NamedTuple):
    """A phrase of a document."""

    text: str  # as it first stands there, in one line
    score: float


def key_phrases(
    document: SegmentedDocument, rarity: Mapping[str, float], n_phrases: int = 5
) -> list[KeyPhrase]:
    """The best phrases of several words, best first; fewer if there are not so many.

    A phrase counts as often as it stands in the document, each time by its probability of being one
    segment, and as much as its words are rare elsewhere.

    Args:
        document: segmented.
        rarity: of each word of the vocabulary (:func:`word_rarity`).
        n_phrases: at most.
    """
    texts: dict[tuple[str, ...], str] = {}
    expected: dict[tuple[str, ...], float] = {}
    for phrase in document.phrases:
        if len(phrase.words) > 1:
            texts.setdefault(phrase.words, " ".join(phrase.text.split()))
            expected[phrase.words] = expected.get(phrase.words, 0.0) + phrase.probability
    scored = [
        KeyPhrase(texts[words], count * sum(rarity[word] for word in words) / len(words))
        for words, count in expected.items()
    ]
    return sorted(scored, key=lambda phrase: -phrase.score)[:n_phrases]


def word_rarity(vocabulary: Vocabulary, n_documents: int) -> dict[str, float]:
    """The smoothed inverse document frequency of each word in a corpus of so many documents."""
    values = np.log((1 + n_documents) / (1 + vocabulary.document_counts))
    return dict(zip(vocabulary.words, values.tolist(), strict=True))
