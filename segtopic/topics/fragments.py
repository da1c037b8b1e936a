"""Pieces of longer phrases: documents and phrases in, which of them are fragments out.

Of "prime minister yasuhiro nakasone" a model of three words a phrase knows pieces only. So it is
asked of the text whether a phrase stands by itself: it does not if one and the same word nearly
always stands before it, or after it. The longer phrase may have any length, and what is between two
spans may stand inside it: "food and drug administration", "soviet leader mikhail s. gorbachev".

>>> text = Documents.from_lists([[[4, 1, 2, 3]]] * 5 + [[[4], [1, 2], [3]]] * 4 + [[[3, 1]]] * 2)
>>> fragments(text, np.array([[1, 2], [1, NO_WORD], [4, 1]])).tolist()
[True, False, True]
"""

import numpy as np

from segtopic.corpus.documents import Documents, IntArray
from segtopic.segment.segmented import BoolArray
from segtopic.topics.counts import occurrences
from segtopic.topics.phrases import NO_WORD

NEARLY_ALWAYS = 0.9  # of the occurrences
REPEATED = 4  # times at least that the longer phrase stands in the text


def fragments(documents: Documents, phrases: IntArray) -> BoolArray:
    """``(M,)``: whether ``(M, L)`` phrases, no two of them the same, are pieces of longer ones."""
    found = occurrences(documents, phrases)
    count = np.bincount(found.phrase, minlength=len(phrases))
    document = np.repeat(np.arange(documents.n_documents), documents.words_per_document)
    after = found.place + (phrases != NO_WORD).sum(1)[found.phrase]
    n_ids = int(documents.words.max(initial=0)) + 1
    longer = np.zeros(len(phrases), dtype=np.int64)  # how often the most frequent neighbour stands
    for neighbour in (found.place - 1, after):
        inside = (neighbour >= 0) & (neighbour < documents.n_words)
        inside[inside] = document[neighbour[inside]] == document[found.place[inside]]
        # Pairs as one number each: numpy sorts these far faster than rows.
        pairs = found.phrase[inside] * n_ids + documents.words[neighbour[inside]]
        distinct, times = np.unique(pairs, return_counts=True)
        np.maximum.at(longer, distinct // n_ids, times)
    is_fragment: BoolArray = (longer >= REPEATED) & (longer >= NEARLY_ALWAYS * count)
    return is_fragment
