"""Encoded documents in memory: what the corpus hands to every model and baseline.

>>> documents = Documents.from_lists([[[4, 2], [7]], [], [[2, 2, 2, 9]]])
>>> documents.n_documents, documents.n_spans, documents.n_words
(3, 3, 7)
>>> observed, scored = documents.observed_and_scored(0.75)
>>> observed.to_lists(), scored.to_lists()
([[[4, 2]], [], [[2, 2, 2]]], [[[7]], [], [[9]]])

Random numbers follow a document, not its place: see :func:`document_generator`.
"""

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from scipy import sparse

IntArray = np.ndarray[Any, np.dtype[np.integer[Any]]]

AT_ONCE = 1 << 20  # numbers that are gathered, counted or digested at a time
IN_MEMORY = 1 << 24  # of an array; longer ones are mapped from a file without a name


@dataclass(frozen=True)
class Documents:
    """The words of many documents, one after the other, cut into spans.

    Attributes:
        words: ``(N,)`` vocabulary ids.
        span_lengths: ``(S,)`` words in each span, at least one.
        spans_per_document: ``(D,)`` spans in each document, zero for an empty one.
    """

    words: IntArray
    span_lengths: IntArray
    spans_per_document: IntArray

    @classmethod
    def from_lists(cls, documents: Sequence[Sequence[Sequence[int]]]) -> "Documents":
        """Build from nested lists: documents of spans of word ids."""
        spans = [span for document in documents for span in document]
        return cls(
            words=np.array([word for span in spans for word in span], dtype=np.int32),
            span_lengths=np.array([len(span) for span in spans], dtype=np.int32),
            spans_per_document=np.array([len(document) for document in documents], dtype=np.int32),
        )

    def to_lists(self) -> list[list[list[int]]]:
        """The inverse of :meth:`from_lists`."""
        words, cuts = self.words.tolist(), _offsets(self.span_lengths).tolist()
        spans = [words[begin:end] for begin, end in pairwise(cuts)]
        return [spans[begin:end] for begin, end in pairwise(self.span_offsets.tolist())]

    @property
    def n_documents(self) -> int:
        return len(self.spans_per_document)

    @property
    def n_spans(self) -> int:
        return len(self.span_lengths)

    @property
    def n_words(self) -> int:
        return len(self.words)

    @cached_property
    def span_offsets(self) -> IntArray:
        """``(D + 1,)``: document ``d`` holds the spans ``span_offsets[d]:span_offsets[d + 1]``."""
        return _offsets(self.spans_per_document)

    @cached_property
    def word_offsets(self) -> IntArray:
        """``(D + 1,)``: document ``d`` holds the words ``word_offsets[d]:word_offsets[d + 1]``."""
        n_words: IntArray = np.zeros(self.n_documents, dtype=np.int64)
        filled = self.spans_per_document > 0
        if filled.any():  # the sums of runs of spans, without an offset for every span
            starts, kind = self.span_offsets[:-1][filled], self.span_lengths.dtype
            # A wider kind would make a wider copy of all spans.
            n_words[filled] = np.add.reduceat(self.span_lengths, starts, dtype=kind)
        return _offsets(n_words)

    @property
    def words_per_document(self) -> IntArray:
        return np.diff(self.word_offsets)

    @property
    def words_left(self) -> IntArray:
        """``(N,)`` words from each word to the end of its span, itself included."""
        lengths = self.span_lengths
        left: IntArray = np.repeat(np.cumsum(lengths), lengths) - np.arange(self.n_words)
        return left

    def select(self, documents: IntArray | Iterable[int]) -> "Documents":
        """The given documents, in the given order."""
        chosen = np.asarray(documents, dtype=np.int64)
        begins, ends = self.word_offsets[chosen], self.word_offsets[chosen + 1]
        return Documents(
            _gathered(self.words, begins, ends - begins),
            _gathered(
                self.span_lengths, self.span_offsets[chosen], self.spans_per_document[chosen]
            ),
            self.spans_per_document[chosen],
        )

    def evenly_spread(self, most_words: int) -> IntArray:
        """Numbers of some documents with about so many words together; of all, if that is enough.

        >>> documents = Documents.from_lists([[[4, 2]], [[7]], [[2, 9]], [[1]]])
        >>> documents.evenly_spread(6).tolist(), documents.evenly_spread(3).tolist()
        ([0, 1, 2, 3], [0, 2])
        """
        return np.arange(0, self.n_documents, max(-(-self.n_words // most_words), 1))

    def chunks(self, most_words: int) -> Iterator["Documents"]:
        """Runs of documents of at most so many words, or of one document that is longer.

        >>> documents = Documents.from_lists([[[4, 2], [7]], [], [[2, 2, 2, 9]], [[1]]])
        >>> [chunk.to_lists() for chunk in documents.chunks(4)]
        [[[[4, 2], [7]], []], [[[2, 2, 2, 9]]], [[[1]]]]
        """
        begin = 0
        while begin < self.n_documents:
            room = self.word_offsets[begin] + most_words
            end = max(int(np.searchsorted(self.word_offsets, room, side="right")) - 1, begin + 1)
            spans = slice(self.span_offsets[begin], self.span_offsets[end])
            words = slice(self.word_offsets[begin], self.word_offsets[end])
            yield Documents(
                self.words[words], self.span_lengths[spans], self.spans_per_document[begin:end]
            )
            begin = end

    def word_counts(self, vocabulary_size: int) -> IntArray:
        """``(V,)`` how often each word stands in the documents."""
        counts: IntArray = np.zeros(vocabulary_size, dtype=np.int64)
        for begin in range(0, self.n_words, AT_ONCE):  # numpy makes a wider copy of what it counts
            part = self.words[begin : begin + AT_ONCE]
            counts += np.bincount(part, minlength=vocabulary_size)
        return counts

    def bag_of_words(self, vocabulary_size: int) -> "sparse.csr_array":
        """Counts of each word in each document, ``(D, V)``, indices sorted."""
        from scipy import sparse  # slow to import, and only baselines need it

        bag = sparse.csr_array(
            (np.ones(self.n_words, dtype=np.float32), self.words, self.word_offsets),
            shape=(self.n_documents, vocabulary_size),
            copy=True,  # duplicates are summed in place
        )
        bag.sum_duplicates()
        return bag

    def observed_and_scored(self, observed_share: float = 0.75) -> tuple["Documents", "Documents"]:
        """Cut every document after the first ``observed_share`` of its words; a span may be cut.

        Both parts have the same number of documents. The number of observed words is rounded
        down, so every word of a one-word document is scored.
        """
        begins, n_words = self.word_offsets[:-1], self.words_per_document
        n_observed = np.floor(n_words * observed_share).astype(np.int64)
        cuts = begins + n_observed
        document_of_span = np.repeat(np.arange(self.n_documents), self.spans_per_document)
        span_starts = _offsets(self.span_lengths)[:-1]
        before = np.clip(cuts[document_of_span] - span_starts, 0, self.span_lengths)

        def part(words: IntArray, lengths: IntArray) -> "Documents":
            kept = lengths > 0
            spans_per_document = np.bincount(document_of_span[kept], minlength=self.n_documents)
            return Documents(words, lengths[kept], spans_per_document.astype(np.int32))

        return (
            part(_gathered(self.words, begins, n_observed), before),
            part(_gathered(self.words, cuts, n_words - n_observed), self.span_lengths - before),
        )


def digest_of_documents(*parts: Documents) -> str:
    """One digest for several parts of a corpus, by their words and spans."""
    digest = hashlib.sha256()
    for part in parts:
        for array in (part.words, part.span_lengths, part.spans_per_document):
            digest.update(b"%d:" % len(array))
            for begin in range(0, len(array), AT_ONCE):
                few = array[begin : begin + AT_ONCE]
                digest.update(np.ascontiguousarray(few, dtype="<i8").tobytes())
    return digest.hexdigest()


def joined(parts: Sequence[IntArray]) -> IntArray:
    """Arrays one after the other; one alone is not copied, and many numbers are kept on disk.

    What is kept on disk is mapped into memory, page by page, as long as there is room.
    """
    if len(parts) == 1:
        return parts[0]
    whole = _room(sum(map(len, parts)), np.result_type(*parts))
    np.concatenate(parts, out=whole)
    return whole


def _gathered(values: IntArray, starts: IntArray, lengths: IntArray) -> IntArray:
    """``values[ranges(starts, lengths)]``, without all those numbers at once."""
    ends = np.cumsum(lengths, dtype=np.int64)
    n_values = int(ends[-1]) if len(ends) else 0
    if n_values <= AT_ONCE:
        return values[ranges(starts, lengths)]
    found = _room(n_values, values.dtype)
    begin = done = 0
    while begin < len(lengths):
        end = max(int(np.searchsorted(ends, done + AT_ONCE, side="right")), begin + 1)
        few = ranges(starts[begin:end], lengths[begin:end])
        found[done : done + len(few)] = values[few]
        begin, done = end, done + len(few)
    return found


def _room(size: int, kind: "np.dtype[Any]") -> IntArray:
    """Memory for so many numbers; more than a process should have in memory lie on disk."""
    if size <= IN_MEMORY:
        return np.empty(size, dtype=kind)
    with tempfile.TemporaryFile(prefix="segtopic-") as file:
        mapped: IntArray = np.memmap(file, dtype=kind, mode="w+", shape=(size,))
    return mapped


def ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """``starts[0], starts[0] + 1, ... (lengths[0] of them), starts[1], ...`` without a loop."""
    begins = _offsets(lengths)
    return np.arange(begins[-1]) + np.repeat(starts - begins[:-1], lengths)


def _offsets(lengths: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def document_generator(seed: int, key: bytes) -> np.random.Generator:
    """The generator of the document with a key: its id, or its words.

    So a document has the same samples in every batch, on every machine, and after every
    interruption.

    >>> a, again, b = (document_generator(0, key).random() for key in (b"a", b"a", b"b"))
    >>> a == again, a == b
    (True, False)
    """
    digest = hashlib.sha256(key).digest()
    return np.random.default_rng((seed, int.from_bytes(digest[:16], "little")))
