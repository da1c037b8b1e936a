"""Remarkable phrases: segmented documents in, the longest, commonest and most surprising out.

Surprising is a phrase whose words stand together far more often than words drawn one by one from
the same documents would: by the factor ``(n(phrase) / N) / prod (n(word) / N)`` with ``N`` words
in all, of which the root is taken for every word after the first, so that long phrases are not
favoured. Rare words make the factor large by chance, so a phrase must be found some times.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from segtopic.harmless import for_page
from segtopic.report.figures import TIMES
from segtopic.segment.segmented import SegmentedDocument

SHOWN = 12
AT_LEAST = 5  # times that a surprising phrase must be found; fewer where there is too little text
Words = tuple[str, ...]


@dataclass(frozen=True)
class RemarkablePhrase:
    """A phrase of several words.

    Attributes:
        text: Its words.
        n_words: How many.
        count: How often it is a segment of the documents read.
        factor: How many times likelier a word is after the words before it than on its own.
        example: The number of a document with it.
    """

    text: str
    n_words: int
    count: int
    factor: float
    example: int

    @property
    def times(self) -> str:
        """The factor with two digits that count."""
        if self.factor < 10:
            return f"{self.factor:.1f}{TIMES}"
        return f"{float(f'{self.factor:.2g}'):,.0f}{TIMES}"


@dataclass(frozen=True)
class RemarkablePhrases:
    """Lists of phrases, best first.

    Attributes:
        longest: With the most words; the more frequent first.
        commonest: Found most often.
        surprising: With the largest factor.
        least_count: How often a surprising phrase had to be found.
        n_documents: How many documents were read.
    """

    longest: list[RemarkablePhrase]
    commonest: list[RemarkablePhrase]
    surprising: list[RemarkablePhrase]
    least_count: int
    n_documents: int

    @property
    def examples(self) -> list[int]:
        """Documents with these phrases."""
        phrases = (*self.surprising, *self.commonest, *self.longest)
        return list(dict.fromkeys(phrase.example for phrase in phrases))


def remarkable_phrases(documents: Mapping[int, SegmentedDocument]) -> RemarkablePhrases:
    """Read the phrases of segmented documents, by their numbers."""
    words: Counter[str] = Counter()
    counts: Counter[Words] = Counter()
    examples: dict[Words, int] = {}
    for number, document in documents.items():
        words.update(document.words)
        for phrase in document.phrases:
            if len(phrase.words) > 1:
                counts[phrase.words] += 1
                examples.setdefault(phrase.words, number)
    total = max(words.total(), 1)
    phrases = [
        RemarkablePhrase(
            text=for_page(" ".join(phrase)),
            n_words=len(phrase),
            count=count,
            factor=_factor(count / total, [words[word] / total for word in phrase]),
            example=examples[phrase],
        )
        for phrase, count in counts.items()
    ]
    least = next((n for n in range(AT_LEAST, 0, -1) if _several(phrases, n)), 1)
    return RemarkablePhrases(
        longest=_best(phrases, lambda p: (-p.n_words, -p.count, p.text)),
        commonest=_best(phrases, lambda p: (-p.count, p.text)),
        surprising=_best((p for p in phrases if p.count >= least), lambda p: (-p.factor, p.text)),
        least_count=least,
        n_documents=len(documents),
    )


def _factor(together: float, alone: Sequence[float]) -> float:
    """Of the probabilities of a phrase and of its words."""
    surprise = math.log(together) - sum(map(math.log, alone))
    return math.exp(surprise / (len(alone) - 1))


def _several(phrases: Iterable[RemarkablePhrase], least: int) -> bool:
    return sum(phrase.count >= least for phrase in phrases) >= SHOWN


def _best(
    phrases: Iterable[RemarkablePhrase], key: Callable[[RemarkablePhrase], tuple[Any, ...]]
) -> list[RemarkablePhrase]:
    return sorted(phrases, key=key)[:SHOWN]
