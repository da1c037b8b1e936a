"""The words that the model knows: counted forms in, the best ones by tf-idf out.

A word's score is its count times scikit-learn's smoothed idf, ``ln((1 + D) / (1 + df)) + 1``: the
sum of its column in ``TfidfTransformer(norm=None)``. Rows are not normalised, so that long
documents count as much as they have words. Ties are broken by spelling; words are numbered from the
best on.

The file has a line ``word<TAB>count<TAB>document count`` for each word, in the order of the
numbers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from segtopic.config import VocabularyConfig
from segtopic.corpus.documents import IntArray
from segtopic.corpus.tokenise import TokenBatch
from segtopic.errors import CorpusError
from segtopic.files import write_atomically


@dataclass
class FormCounts:
    """Counts of every form of a corpus, grown batch by batch; numbers forms as they come."""

    numbers: dict[str, int] = field(default_factory=dict)
    counts: IntArray = field(default_factory=lambda: np.zeros(1024, dtype=np.int64))
    document_counts: IntArray = field(default_factory=lambda: np.zeros(1024, dtype=np.int64))

    def add(self, batch: TokenBatch) -> IntArray:
        """Count a batch; returns ``(N,)`` the number of each token's form in the whole corpus."""
        numbers = self.numbers
        known = np.array(
            [numbers.setdefault(form, len(numbers)) for form in batch.forms], dtype=np.int32
        )
        if len(numbers) > len(self.counts):
            more = np.zeros(max(len(self.counts), len(numbers)), dtype=np.int64)
            self.counts = np.concatenate([self.counts, more])
            self.document_counts = np.concatenate([self.document_counts, more])
        self.counts[known] += batch.counts
        self.document_counts[known] += batch.document_counts
        return known[batch.form_ids]


@dataclass(frozen=True)
class Vocabulary:
    """Words by number, with how often each occurs and in how many documents."""

    words: tuple[str, ...]
    counts: IntArray
    document_counts: IntArray

    def __len__(self) -> int:
        return len(self.words)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Vocabulary)
            and self.words == other.words
            and np.array_equal(self.counts, other.counts)
            and np.array_equal(self.document_counts, other.document_counts)
        )

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    def decode(self, numbers: Iterable[int]) -> list[str]:
        """The words with these numbers."""
        return [self.words[number] for number in numbers]

    @classmethod
    def select(
        cls,
        forms: Sequence[str],
        counts: IntArray,
        document_counts: IntArray,
        n_documents: int,
        config: VocabularyConfig,
    ) -> "Vocabulary":
        """The best of the given forms."""
        least, most = (
            limit * n_documents if isinstance(limit, float) else limit
            for limit in (config.min_df, config.max_df)
        )
        eligible = np.flatnonzero((document_counts >= least) & (document_counts <= most))
        if not len(eligible):
            raise CorpusError(
                f"no word is left for the vocabulary: {len(forms)} different words were found, "
                f"none of them in at least {config.min_df} and at most {config.max_df} documents "
                "(min_df, max_df); relax these, or check stop_words and the text column"
            )
        scores = tf_idf(counts[eligible], document_counts[eligible], n_documents)
        in_order = sorted(
            zip(
                (-scores).tolist(),
                (forms[i] for i in eligible.tolist()),
                eligible.tolist(),
                strict=True,
            )
        )
        best = np.array([i for _, _, i in in_order[: config.vocabulary_size]])
        return cls(tuple(forms[i] for i in best), counts[best], document_counts[best])

    def save(self, path: Path) -> None:
        """Write the text file."""
        rows = zip(self.words, self.counts.tolist(), self.document_counts.tolist(), strict=True)
        write_atomically(path, "".join(f"{word}\t{count}\t{df}\n" for word, count, df in rows))

    @classmethod
    def load(cls, path: Path) -> "Vocabulary":
        """Read the text file."""
        try:
            # Not splitlines(): a word may hold a sign that str counts as the end of a line.
            lines = path.read_bytes().decode("utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise CorpusError(f"{path}: cannot read the vocabulary ({error})") from None
        words, counts, document_counts = [], [], []
        for number, line in enumerate(lines[:-1], 1):
            try:
                word, count, document_count = line.split("\t")
                words.append(word)
                counts.append(int(count))
                document_counts.append(int(document_count))
            except ValueError:
                raise CorpusError(
                    f"{path}: line {number} is not 'word<TAB>count<TAB>document count'; "
                    "the file was changed or cut, prepare the corpus again"
                ) from None
        if not words or lines[-1] or len(set(words)) < len(words):
            raise CorpusError(
                f"{path}: the vocabulary is cut short or names a word twice; "
                "prepare the corpus again"
            )
        return cls(tuple(words), np.array(counts), np.array(document_counts))


def tf_idf(
    counts: IntArray, document_counts: IntArray, n_documents: int
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Count times smoothed inverse document frequency, as scikit-learn defines it."""
    scores: np.ndarray[tuple[int], np.dtype[np.float64]] = counts * (
        np.log((1 + n_documents) / (1 + document_counts)) + 1
    )
    return scores
