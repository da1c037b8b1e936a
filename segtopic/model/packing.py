"""Every distinct segment of a document once: documents in, tries of segments out.

The network's state after some words depends on the document and on those words only, so equal
segments of a document share it. They form a trie: level 0 holds the documents, a node of level
``l`` is a distinct sequence of ``l`` words that stands in some span of its document, and its
parent is the same sequence without the last word. The nodes of the first level, with their
counts, are the documents' bags of words.

The tries of a whole corpus are built once (:class:`PackedCorpus`), unless it is large; a batch is
then cut out of them by copying ranges (:meth:`PackedCorpus.batch`). No loop runs over words or
documents.

>>> from segtopic.corpus import Documents
>>> packed = PackedCorpus(Documents.from_lists([[[5, 7], [5, 7, 5]]]), max_length=2)
>>> batch = packed.batch([0])
>>> [(level.parent.tolist(), level.word.tolist()) for level in batch.levels]
[([0, 0], [5, 7]), ([0, 1], [7, 5])]
>>> batch.node.tolist()  # into the nodes of all levels; 4 = no such segment
[[0, 2], [1, 4], [0, 2], [1, 3], [0, 4]]
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import Documents, IntArray, ranges
from segtopic.corpus.sequences import distinct_sequences
from segtopic.lattice import Spans

PACKED_WORDS = 1 << 22  # that are packed beforehand; ACL's 16,980 abstracts have 1.1 million
NO_WORD = -1  # after the last word of a phrase that is shorter than the longest


@dataclass(frozen=True, eq=False)
class TrieLevel:
    """The distinct segments of one length; ordered by parent, then by word."""

    parent: Tensor  # (P,) node of the level above, for the first level the document
    word: Tensor  # (P,) the last word
    suffix: Tensor  # (P,) node of the level above that lacks the first word; 0 on the first level
    count: Tensor  # (P,) how often the segment stands in its document

    def to(self, device: torch.device) -> "TrieLevel":
        """The same on another device."""
        return TrieLevel(*(getattr(self, each.name).to(device) for each in fields(self)))

    @classmethod
    def empty(cls) -> "TrieLevel":
        """A level without segments."""
        return cls(*(torch.zeros(0, dtype=torch.long) for _ in fields(cls)))


class Histories(NamedTuple):
    """Nodes of a batch's tries after which something is predicted, as tries of their own."""

    levels: list[TrieLevel]
    numbers: list[Tensor]  # (Q,) per level: which of its nodes they are
    place: list[Tensor]  # (P,) per level from the second on: where the parent is among them

    @classmethod
    def all_of(cls, levels: list[TrieLevel], n_levels: int) -> "Histories":
        """Every node of the first so many levels."""
        numbers = [torch.arange(len(level.word), device=level.word.device) for level in levels]
        return cls(levels[:n_levels], numbers[:n_levels], [level.parent for level in levels[1:]])

    @classmethod
    def followed(cls, levels: list[TrieLevel]) -> "Histories":
        """Those that a word of their document follows: all others end where their spans end."""
        found = cls([], [], [])
        for level, below in pairwise(levels):
            numbers, place = below.parent.unique_consecutive(return_inverse=True)
            parent, suffix = level.parent[numbers], level.suffix[numbers]
            if found.levels:
                # What is followed after its first word is so without it, too.
                parent = found.place[-1][numbers]
                suffix = torch.searchsorted(found.numbers[-1], suffix)
            history = TrieLevel(parent, level.word[numbers], suffix, level.count[numbers])
            found.levels.append(history)
            found.numbers.append(numbers)
            found.place.append(place)
        return found


class Urn(NamedTuple):
    """What a document holds when the word after the first ``l`` of a segment is drawn.

    For the segment that starts at word ``i`` and ``l = 0 .. L - 1``; ``(N, L)`` each.
    """

    seen: Tensor  # how often the document has these words with the next one
    size: Tensor  # how often it has them with any next one
    kinds: Tensor  # with how many different next ones

    def to(self, device: torch.device) -> "Urn":
        """The same on another device."""
        return Urn(*(each.to(device) for each in self))


@dataclass(frozen=True, eq=False)
class PackedBatch:
    """A batch of documents as the model wants it.

    Attributes:
        levels: distinct segments of 1, 2, ... words; at most ``L`` levels, none of them empty.
        node: ``(N, L)`` the node of the segment of ``l`` words at word ``i``, counted through all
            levels; the number of nodes stands for "no such segment".
        spans: the words' spans.
        document_of_span: ``(S,)``.
        earlier: what stood in the document before each word.
        n_documents: how many documents, empty ones included.
    """

    levels: list[TrieLevel]
    node: Tensor
    spans: Spans
    document_of_span: Tensor
    earlier: Urn
    n_documents: int

    @property
    def document_of_word(self) -> Tensor:
        """``(N,)``."""
        return self.document_of_span[self.spans.span_of_word]

    def sum_by_document(self, span_values: Tensor) -> Tensor:
        """``(S,)`` to ``(D,)``."""
        sums = span_values.new_zeros(self.n_documents)
        return sums.index_add(0, self.document_of_span, span_values)

    def first_nodes(self, length: int) -> Tensor:
        """``(S,)``: the node of each span's first ``length`` words, counted in its own level."""
        shorter = sum(len(level.word) for level in self.levels[: length - 1])
        return self.node[self.spans.first_word, length - 1] - shorter

    def to(self, device: torch.device) -> "PackedBatch":
        """The same batch on another device."""
        return PackedBatch(
            [level.to(device) for level in self.levels],
            self.node.to(device),
            self.spans.to(device),
            self.document_of_span.to(device),
            self.earlier.to(device),
            self.n_documents,
        )


@dataclass(frozen=True)
class _CorpusLevel:
    parent: IntArray
    word: IntArray
    suffix: IntArray
    count: IntArray
    offsets: IntArray  # (D + 1,) the nodes of each document
    of_word: IntArray  # (N,) the node of the segment at each word, or -1


class PackedCorpus:
    """The tries of all documents, one after the other.

    A large corpus is not packed beforehand: its tries would take some 140 bytes a word. Its batches
    are packed when they are asked for, and are the same.
    """

    def __init__(self, documents: Documents, max_length: int) -> None:
        if max_length < 1:
            raise ValueError(f"the longest segment must have at least 1 word, got {max_length}")
        self.documents = documents
        self.max_length = max_length
        self._is_large = documents.n_words > PACKED_WORDS
        if self._is_large:
            return
        n_words = int(documents.words.max(initial=0)) + 1
        node_document = np.arange(documents.n_documents)  # level 0: the documents themselves
        roots = np.repeat(node_document, documents.words_per_document)
        self._levels: list[_CorpusLevel] = []
        for level in distinct_sequences(documents, roots, n_words, first=1, longest=max_length):
            suffix = np.zeros_like(level.parent)
            if self._levels:
                suffix = self._levels[-1].of_word[level.example + 1]
            node_document = node_document[level.parent]
            offsets = np.searchsorted(node_document, np.arange(documents.n_documents + 1))
            of_word = np.full(documents.n_words, -1)
            of_word[level.starts] = level.at_starts
            self._levels.append(
                _CorpusLevel(level.parent, level.word, suffix, level.count, offsets, of_word)
            )
        self._earlier = self._what_stood_before()

    def __len__(self) -> int:
        return self.documents.n_documents

    def batch(self, documents: Sequence[int] | IntArray) -> PackedBatch:
        """The given documents, in the given order."""
        chosen = np.asarray(documents, dtype=np.int64)
        if self._is_large:
            few = PackedCorpus(self.documents.select(chosen), self.max_length)
            return few.batch(np.arange(len(chosen)))
        corpus = self.documents
        n_words = corpus.words_per_document[chosen]
        words = ranges(corpus.word_offsets[chosen], n_words)
        document_of_word = np.repeat(np.arange(len(chosen)), n_words)

        levels: list[TrieLevel] = []
        nodes = np.full((len(words), self.max_length), -1)
        n_nodes = 0
        # What moves a node's number from the corpus to this batch, per document.
        shift_above: IntArray = np.arange(len(chosen)) - chosen
        for depth, level in enumerate(self._levels):
            counts = np.diff(level.offsets)[chosen]
            of_batch = ranges(level.offsets[chosen], counts)
            if len(of_batch) == 0:
                break
            shifts = np.repeat(shift_above, counts)
            levels.append(
                TrieLevel(
                    parent=torch.from_numpy(level.parent[of_batch] + shifts),
                    word=torch.from_numpy(level.word[of_batch]),
                    suffix=torch.from_numpy(level.suffix[of_batch] + (shifts if depth else 0)),
                    count=torch.from_numpy(level.count[of_batch]),
                )
            )
            shift = np.cumsum(counts) - counts - level.offsets[chosen]
            numbers = level.of_word[words]
            nodes[:, depth] = np.where(numbers < 0, -1, numbers + shift[document_of_word] + n_nodes)
            shift_above = shift
            n_nodes += len(of_batch)
        nodes[nodes < 0] = n_nodes

        spans_per_document = corpus.spans_per_document[chosen]
        spans = ranges(corpus.span_offsets[chosen], spans_per_document)
        return PackedBatch(
            levels=levels,
            node=torch.from_numpy(nodes),
            spans=Spans(torch.from_numpy(corpus.span_lengths[spans].astype(np.int64))),
            document_of_span=torch.from_numpy(
                np.repeat(np.arange(len(chosen)), spans_per_document)
            ),
            earlier=Urn(*(torch.from_numpy(each[words]) for each in self._earlier)),
            n_documents=len(chosen),
        )

    def _what_stood_before(self) -> tuple[IntArray, IntArray, IntArray]:
        """The columns of :class:`Urn` for all words of the corpus."""
        shape = (self.documents.n_words, self.max_length)
        seen, size, kinds = (np.zeros(shape, dtype=np.int32) for _ in Urn._fields)
        documents = self.documents
        history: IntArray = np.repeat(
            np.arange(documents.n_documents), documents.words_per_document
        )
        for depth, level in enumerate(self._levels):
            goes_on = level.of_word >= 0
            of_word = level.of_word[goes_on]
            seen[goes_on, depth] = _before(of_word, np.ones_like(of_word))
            new = goes_on & (seen[:, depth] == 0)
            exists = history >= 0
            size[exists, depth] = _before(history[exists], goes_on[exists].astype(np.int64))
            kinds[exists, depth] = _before(history[exists], new[exists].astype(np.int64))
            history = level.of_word
        return seen, size, kinds


def pack_phrases(phrases: IntArray, max_length: int) -> PackedBatch:
    """One document with a span for each of ``(M, l)`` phrases, padded by ``NO_WORD``."""
    is_word = phrases != NO_WORD
    documents = Documents(phrases[is_word], is_word.sum(1), np.array([len(phrases)]))
    return PackedCorpus(documents, max_length).batch([0])


def _before(groups: IntArray, amounts: IntArray) -> IntArray:
    """The sum of the amounts that stand earlier in the array and in the same group."""
    order = np.argsort(groups, kind="stable")
    ordered, sums = groups[order], np.cumsum(amounts[order])
    first = np.searchsorted(ordered, ordered, side="left")
    before = np.empty_like(sums)
    before[order] = sums - amounts[order] - (sums - amounts[order])[first]
    return before
