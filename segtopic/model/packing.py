"""Every distinct segment of a document once: documents in, tries of segments out.

The network's state after some words depends on the document and on those words only, so equal
segments of a document share it. They form a trie: level 0 holds the documents, a node of level
``l`` is a distinct sequence of ``l`` words that stands in some span of its document, and its
parent is the same sequence without the last word. The nodes of the first level, with their
counts, are the documents' bags of words.

A batch is packed when it is wanted, in 5 ms for 64 abstracts: about 1 % of a training step, where
the tries of a whole corpus would take 140 bytes a word. No loop runs over words or documents.

>>> from segtopic.corpus import Documents
>>> batch = pack(Documents.from_lists([[[5, 7], [5, 7, 5]]]), max_length=2)
>>> [(level.parent.tolist(), level.word.tolist()) for level in batch.levels]
[([0, 0], [5, 7]), ([0, 1], [7, 5])]
>>> batch.node.tolist()  # into the nodes of all levels; 4 = no such segment
[[0, 2], [1, 4], [0, 2], [1, 3], [0, 4]]
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.sequences import distinct_sequences
from segtopic.lattice import Spans
from segtopic.model.lookup import NOWHERE

BATCH = 64  # documents, where nothing else is asked for
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


def pack(documents: Documents, max_length: int) -> PackedBatch:
    """A batch of all the given documents, with segments of at most so many words."""
    if max_length < 1:
        raise ValueError(f"the longest segment must have at least 1 word, got {max_length}")
    document: IntArray = np.arange(documents.n_documents)
    document_of_word = np.repeat(document, documents.words_per_document)
    n_words = int(documents.words.max(initial=0)) + 1
    levels: list[TrieLevel] = []
    n_nodes: IntArray = np.zeros(max_length, dtype=np.int64)
    of_word: IntArray = np.full((documents.n_words, max_length), NOWHERE)
    for level in distinct_sequences(documents, document_of_word, n_words, 1, max_length):
        if not len(level.word):
            break
        depth = len(levels)
        suffix = of_word[level.example + 1, depth - 1] if depth else np.zeros_like(level.parent)
        columns = (level.parent, level.word, suffix, level.count)
        levels.append(TrieLevel(*map(torch.from_numpy, columns)))
        of_word[level.starts, depth] = level.at_starts
        n_nodes[depth] = len(level.word)
    before = np.cumsum(n_nodes) - n_nodes
    node = np.where(of_word == NOWHERE, n_nodes.sum(), of_word + before)
    return PackedBatch(
        levels=levels,
        node=torch.from_numpy(node),
        spans=Spans(torch.from_numpy(documents.span_lengths.astype(np.int64))),
        document_of_span=torch.from_numpy(np.repeat(document, documents.spans_per_document)),
        earlier=_earlier(of_word, document_of_word),
        n_documents=documents.n_documents,
    )


def packed_batches(documents: Documents, max_length: int) -> Iterator[PackedBatch]:
    """All documents in their order, packed some at a time when they are wanted."""
    for begin in range(0, documents.n_documents, BATCH):
        some = np.arange(begin, min(begin + BATCH, documents.n_documents))
        yield pack(documents.select(some), max_length)


def pack_phrases(phrases: IntArray, max_length: int) -> PackedBatch:
    """One document with a span for each of ``(M, l)`` phrases, padded by ``NO_WORD``."""
    is_word = phrases != NO_WORD
    documents = Documents(phrases[is_word], is_word.sum(1), np.array([len(phrases)]))
    return pack(documents, max_length)


def _earlier(of_word: IntArray, document_of_word: IntArray) -> Urn:
    """What stood before, from the ``(N, L)`` segments at each word, numbered by length."""
    seen, size, kinds = (np.zeros(of_word.shape, dtype=np.int32) for _ in Urn._fields)
    history = document_of_word
    for depth, node in enumerate(of_word.T):
        goes_on = node != NOWHERE
        seen[goes_on, depth] = _before(node[goes_on], np.ones(goes_on.sum(), dtype=np.int64))
        new = goes_on & (seen[:, depth] == 0)
        exists = history != NOWHERE
        size[exists, depth] = _before(history[exists], goes_on[exists].astype(np.int64))
        kinds[exists, depth] = _before(history[exists], new[exists].astype(np.int64))
        history = node
    return Urn(*map(torch.from_numpy, (seen, size, kinds)))


def _before(groups: IntArray, amounts: IntArray) -> IntArray:
    """The sum of the amounts that stand earlier in the array and in the same group."""
    order = np.argsort(groups, kind="stable")
    ordered, sums = groups[order], np.cumsum(amounts[order])
    first = np.searchsorted(ordered, ordered, side="left")
    before = np.empty_like(sums)
    before[order] = sums - amounts[order] - (sums - amounts[order])[first]
    return before
