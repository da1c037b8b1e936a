"""How often sequences of words were seen, and what of it bears on each word of other text.

Sequences of 1, 2, .. words stand inside spans and hang on a root. With one root for all documents
they are the counts of the training text: words, bigrams, trigrams. With each document as a root
they are the document's own: an urn of its words, and the bigrams that it repeats.

>>> train = Documents.from_lists([[[0, 1], [0, 1], [0, 2]]])
>>> counts = SequenceCounts.of(train, vocabulary_size=3, longest=2)
>>> words, bigrams = counts.look_up(Documents.from_lists([[[0, 1, 2]]]))
>>> bigrams.same.tolist(), bigrams.all.tolist(), bigrams.kinds.tolist()
([0, 2, 0], [0, 3, 0], [0, 2, 0])
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.repeated import CountedSequences, counted_sequences
from segtopic.corpus.sequences import SequenceLevel, distinct_sequences
from segtopic.evaluate.heldout import HeldOut, continuation_words
from segtopic.model.lookup import NOWHERE, at, find


@dataclass(frozen=True)
class Seen:
    """What was counted after the words before each of ``N`` words; zeros where none stand there.

    Attributes:
        same: ``(N,)`` how often the word itself, ``c(h, w)``.
        all: ``(N,)`` how often any word, ``C(h)``.
        kinds: ``(N,)`` how many different words, ``N(h)``.
    """

    same: IntArray
    all: IntArray
    kinds: IntArray


@dataclass(frozen=True)
class _Length:
    """The sequences of one length; a history is numbered by its place one length before.

    Attributes:
        keys: ``(P,)`` sorted, ``history * V + word``.
        counts: ``(P,)`` how often each was seen.
        totals: ``(H,)`` how often any word came after each history.
        kinds: ``(H,)`` how many different ones.
    """

    keys: IntArray
    counts: IntArray
    totals: IntArray
    kinds: IntArray

    @classmethod
    def of(
        cls, level: SequenceLevel | CountedSequences, vocabulary_size: int, n_histories: int
    ) -> "_Length":
        """The sequences of a level that continue one of so many histories."""
        totals = np.bincount(level.parent, weights=level.count, minlength=n_histories)
        return cls(
            keys=level.parent * vocabulary_size + level.word,
            counts=level.count,
            totals=totals.astype(np.int64),
            kinds=np.bincount(level.parent[level.count > 0], minlength=n_histories),
        )


@dataclass(frozen=True)
class SequenceCounts:
    """Counts of sequences, from one word to the longest ones."""

    vocabulary_size: int
    lengths: list[_Length]

    @classmethod
    def of(
        cls, documents: Documents, vocabulary_size: int, longest: int, by_document: bool = False
    ) -> "SequenceCounts":
        """Count in all documents together, or in each one apart.

        Of a large corpus, in all together, sequences of several words that came once are not kept.
        """
        levels: Iterator[SequenceLevel | CountedSequences]
        if by_document:
            n_histories, roots = documents.n_documents, _roots(documents, by_document)
            levels = distinct_sequences(documents, roots, vocabulary_size, 1, longest)
        else:
            n_histories, levels = 1, _of_all(documents, vocabulary_size, longest)
        lengths = []
        for level in levels:
            lengths.append(_Length.of(level, vocabulary_size, n_histories))
            n_histories = len(level.word)
        return cls(vocabulary_size, lengths)

    def look_up(self, documents: Documents, by_document: bool = False) -> list[Seen]:
        """For each length, what bears on every word: the last word of a sequence of that length.

        ``by_document`` as in :meth:`of`; documents are the same ones, in the same order.
        """
        words = torch.from_numpy(documents.words.astype(np.int64))
        starts = torch.from_numpy(~continuation_words(documents))
        history = torch.from_numpy(_roots(documents, by_document))
        found = []
        for length in self.lengths:
            # An unknown history makes a key below zero, which is not found either.
            number = find(length.keys, history * self.vocabulary_size + words)
            found.append(
                Seen(
                    same=at(length.counts, number).numpy(),
                    all=at(length.totals, history).numpy(),
                    kinds=at(length.kinds, history).numpy(),
                )
            )
            history = number.roll(1).masked_fill(starts, NOWHERE)
        return found


def observed_counts(held_out: HeldOut, vocabulary_size: int, longest: int) -> list[Seen]:
    """For each length, what each scored word's own document was observed to say.

    Scored words are not counted, so that none of them helps to predict another.
    """
    counts = SequenceCounts.of(held_out.observed, vocabulary_size, longest, by_document=True)
    return counts.look_up(held_out.scored, by_document=True)


def _of_all(documents: Documents, vocabulary_size: int, longest: int) -> Iterator[CountedSequences]:
    """All words, by their numbers, and the longer sequences that are counted."""
    counts = documents.word_counts(vocabulary_size)
    yield CountedSequences(np.zeros_like(counts), np.arange(vocabulary_size), counts)
    yield from counted_sequences(documents, vocabulary_size, longest)


def _roots(documents: Documents, by_document: bool) -> IntArray:
    """``(N,)`` what the words hang on."""
    if not by_document:
        return np.zeros(documents.n_words, dtype=np.int64)
    return np.repeat(np.arange(documents.n_documents), documents.words_per_document)
