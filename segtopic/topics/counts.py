"""How often phrases stand in a corpus: documents and phrases in, counts of contiguous words out.

A phrase stands wherever its words follow each other inside a span, whatever the model makes of it.

>>> text = Documents.from_lists([[[0, 1, 2], [1]], [[0, 1]]])
>>> phrase_counts(text, np.array([[0, 1], [1, NO_WORD], [2, 1]])).tolist()
[2, 3, 0]
>>> counts_by_document(text, np.array([[0, 1], [1, NO_WORD]])).toarray().tolist()
[[1, 1], [2, 1]]
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from segtopic.corpus.documents import Documents, IntArray
from segtopic.model.lookup import NOWHERE, find
from segtopic.topics.phrases import NO_WORD

AT_ONCE = 1 << 22  # words in which phrases are looked for


class Occurrences(NamedTuple):
    """Where phrases stand."""

    phrase: IntArray  # (Q,) which one
    place: IntArray  # (Q,) of its first word


def phrase_counts(documents: Documents, phrases: IntArray) -> IntArray:
    """``(M,)`` counts of ``(M, L)`` phrases, padded by ``NO_WORD``; part by part of many words."""
    distinct, row = np.unique(phrases, axis=0, return_inverse=True)
    counts = np.zeros(len(distinct), dtype=np.int64)
    for part in documents.chunks(AT_ONCE):
        counts += np.bincount(occurrences(part, distinct).phrase, minlength=len(distinct))
    return counts[row]


def counts_by_document(documents: Documents, phrases: IntArray) -> sparse.csr_array:
    """``(M, D)``: how often ``(M, L)`` phrases, no two of them the same, stand in documents."""
    found = occurrences(documents, phrases)
    document = np.repeat(np.arange(documents.n_documents), documents.words_per_document)
    ones = np.ones(len(found.phrase), dtype=np.int32)
    shape = (len(phrases), documents.n_documents)
    return sparse.csr_array((ones, (found.phrase, document[found.place])), shape=shape)


def occurrences(documents: Documents, phrases: IntArray) -> Occurrences:
    """All occurrences of ``(M, L)`` phrases, no two of them the same.

    All phrases are walked through the text at once, as a trie: the places where the first words of
    some phrase stand are kept, and looked at one word further.
    """
    found = [Occurrences(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
    lengths = (phrases != NO_WORD).sum(1)
    place, remaining = np.arange(documents.n_words), documents.words_left
    n_ids = int(max(documents.words.max(initial=0), phrases.max(initial=0))) + 1
    at_place = np.zeros(documents.n_words, dtype=np.int64)  # the node of the words so far
    row = np.arange(len(phrases))
    of_row = np.zeros(len(phrases), dtype=np.int64)
    for length in range(1, phrases.shape[1] + 1):
        goes_on = lengths[row] >= length
        row, of_row = row[goes_on], of_row[goes_on]
        keys = of_row * n_ids + phrases[row, length - 1]
        wanted, of_row = np.unique(keys, return_inverse=True)
        fits = remaining[place] >= length
        place, at_place = place[fits], at_place[fits]
        node = find(wanted, at_place * n_ids + documents.words[place + length - 1]).numpy()
        stands = node != NOWHERE
        place, at_place = place[stands], node[stands]
        ends = lengths[row] == length
        whole = np.full(len(wanted), NOWHERE)
        whole[of_row[ends]] = row[ends]
        is_whole = whole[at_place] != NOWHERE
        found.append(Occurrences(whole[at_place[is_whole]], place[is_whole]))
    return Occurrences(*map(np.concatenate, zip(*found, strict=True)))
