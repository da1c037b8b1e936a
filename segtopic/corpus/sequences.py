"""The distinct sequences of words in spans: documents in, a level for each length out.

A sequence of ``l`` words is one of ``l - 1`` words and the word that follows, so the sequences of
a length are found from those one word shorter. What the first ones hang on is given: the documents,
for the tries of a model, or a single word, for counts over the whole corpus. No loop runs over
words or documents.

>>> text = Documents.from_lists([[[5, 7], [5, 7, 5]], [[5, 7]]])
>>> for level in distinct_sequences(text, text.words, n_words=8, first=2, longest=3):
...     print(level.parent.tolist(), level.word.tolist(), level.count.tolist())
[5, 7] [7, 5] [3, 1]
[0] [5] [1]
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from segtopic.corpus.documents import Documents, IntArray


@dataclass(frozen=True)
class SequenceLevel:
    """The distinct sequences of one length, ordered by what they continue, then by word.

    Attributes:
        parent: ``(P,)`` what each one continues: its number on the level before, or the root.
        word: ``(P,)`` its last word.
        count: ``(P,)`` how often it stands in the documents.
        example: ``(P,)`` the first word of its first occurrence.
        starts: ``(M,)`` the first words of all occurrences.
        at_starts: ``(M,)`` which sequence stands there.
    """

    parent: IntArray
    word: IntArray
    count: IntArray
    example: IntArray
    starts: IntArray
    at_starts: IntArray


def distinct_sequences(
    documents: Documents, roots: IntArray, n_words: int, first: int, longest: int
) -> Iterator[SequenceLevel]:
    """Walk from the roots to the sequences of ``longest`` words.

    Args:
        documents: which are walked.
        roots: ``(N,)`` what the sequence that starts at each word hangs on, as a number.
        n_words: more than the largest number of a word.
        first: words of the shortest sequences; if above 1, the roots stand for the words before.
        longest: words of the longest ones.
    """
    words_left = documents.words_left
    starts, node = np.arange(documents.n_words), roots.astype(np.int64)
    for length in range(first, longest + 1):
        fits = words_left[starts] >= length
        starts, node = starts[fits], node[fits]
        keys = node * n_words + documents.words[starts + length - 1]
        distinct, example, node, count = np.unique(
            keys, return_index=True, return_inverse=True, return_counts=True
        )
        parent, word = np.divmod(distinct, n_words)
        yield SequenceLevel(parent, word, count, starts[example], starts, node)
