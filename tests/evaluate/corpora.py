"""Small made corpora for the tests of the evaluation."""

import numpy as np

from segtopic.corpus import Documents

VOCABULARY_SIZE = 12
# Never drawn: a word of the vocabulary that training does not know.
UNSEEN = 11


def two_topics(n_documents: int, seed: int) -> Documents:
    """Documents about the words 0..4 or about 5..9, with the phrase (0, 1) or (5, 6) in them.

    Every seventh document is empty, every eleventh has a single word.
    """
    generator = np.random.default_rng(seed)
    documents: list[list[list[int]]] = []
    for number in range(n_documents):
        first = 0 if generator.random() < 0.5 else 5
        if number % 7 == 3:
            documents.append([])
        elif number % 11 == 5:
            documents.append([[first]])
        else:
            spans = [
                [first, first + 1]
                if generator.random() < 0.3
                else generator.integers(first, first + 5, size=generator.integers(1, 4)).tolist()
                for _ in range(20)
            ]
            documents.append(spans)
    return Documents.from_lists(documents)
