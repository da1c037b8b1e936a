"""Classes of words, against ones that are known."""

import numpy as np
import pytest

from segtopic.corpus import Documents
from segtopic.model.phrase_memory import PhraseMemory
from segtopic.model.word_classes import number_of_classes, word_classes


def classes_of(documents, size):
    memory = PhraseMemory(size, max_length=2)
    memory.learn(documents)
    return word_classes(memory.pairs(), documents.word_counts(size))


def planted(n_kinds, n_documents=400, seed=0):
    """Pairs of words: one of each kind is followed by any of the next kind."""
    size = n_kinds**2
    generator = np.random.default_rng(seed)
    kind_of = generator.permutation(size) % n_kinds
    documents = []
    for _ in range(n_documents):
        first = generator.integers(size, size=20)
        second = [
            generator.choice(np.flatnonzero(kind_of == (kind_of[w] + 1) % n_kinds)) for w in first
        ]
        documents.append(
            [list(pair) for pair in zip(first.tolist(), map(int, second), strict=True)]
        )
    return Documents.from_lists(documents), kind_of


def test_words_that_stand_beside_the_same_words_are_one_class():
    documents, kind_of = planted(8)
    class_of = classes_of(documents, 64)
    for kind in range(8):
        assert len(set(class_of[kind_of == kind])) == 1
    assert len(set(class_of)) == 8


def test_the_same_documents_have_the_same_classes():
    documents, _ = planted(8)
    first, second = (classes_of(documents, 64).tolist() for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    "texts",
    [
        [],  # no document
        [[]],
        [[[0]], [[1], [2]]],  # no two words stand side by side
        [[[0, 1]] * 5],  # next to nothing is known
        [[[word, (word + 1) % 90] for word in range(90)]],  # all words are alike
    ],
)
@pytest.mark.parametrize("size", [90, 100, 2500])
def test_no_class_is_empty_and_every_word_has_one(texts, size):
    class_of = classes_of(Documents.from_lists(texts), size)
    assert len(class_of) == size
    assert set(class_of.tolist()) == set(range(number_of_classes(size)))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_few_words(size):
    class_of = classes_of(Documents.from_lists([[[0, 0]]]), size)
    assert set(class_of.tolist()) == set(range(number_of_classes(size)))
