"""How often phrases stand in a corpus: documents and phrases in, counts of contiguous words out.

A phrase stands wherever its words follow each other inside a span, whatever the model makes of it.

>>> text = Documents.from_lists([[[0, 1, 2], [1]], [[0, 1]]])
>>> phrase_counts(text, np.array([[0, 1], [1, NO_WORD], [2, 1]])).tolist()
[2, 3, 0]
"""

import numpy as np

from segtopic.corpus.documents import Documents, IntArray
from segtopic.model.lookup import NOWHERE, find
from segtopic.segment.segmented import FloatArray
from segtopic.topics.phrases import NO_WORD


def phrase_counts(documents: Documents, phrases: IntArray) -> IntArray:
    """``(M,)`` counts of ``(M, L)`` phrases, padded by ``NO_WORD``."""
    return phrase_weights(documents, phrases, np.ones(documents.n_words)).astype(np.int64)


def phrase_weights(documents: Documents, phrases: IntArray, weights: FloatArray) -> FloatArray:
    """``(M,)``: at each place a phrase weighs as much as its first word there, ``(N,)``.

    All phrases are walked through the text at once, as a trie: the places where the first words of
    some phrase stand are kept, and looked at one word further.
    """
    sums = np.zeros(len(phrases))
    place, remaining = np.arange(documents.n_words), documents.words_left
    n_ids = int(max(documents.words.max(initial=0), phrases.max(initial=0))) + 1
    at_place = np.zeros(documents.n_words, dtype=np.int64)  # the node of the words so far
    row = np.arange(len(phrases))
    of_row = np.zeros(len(phrases), dtype=np.int64)
    for length in range(1, phrases.shape[1] + 1):
        is_word = phrases[row, length - 1] != NO_WORD
        row, of_row = row[is_word], of_row[is_word]
        keys = of_row * n_ids + phrases[row, length - 1]
        wanted, of_row = np.unique(keys, return_inverse=True)
        fits = remaining[place] >= length
        place, at_place = place[fits], at_place[fits]
        found = at_place * n_ids + documents.words[place + length - 1]
        node = find(wanted, found).numpy()
        stands = node != NOWHERE
        place, at_place = place[stands], node[stands]
        # Longer phrases are summed again, and those that end here keep their sum.
        sums[row] = np.bincount(at_place, weights[place], minlength=len(wanted))[of_row]
    return sums
