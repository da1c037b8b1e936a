"""Coherence of phrases: the equation by looking at every document; nested phrases are left out."""

import itertools
import math

import numpy as np
import pytest

from segtopic.corpus import Documents
from segtopic.topics.phrase_quality import apart, merged_ldas, phrase_qualities

EPSILON = 1e-12  # gensim's


def random_documents(seed=0, n_documents=40):
    random = np.random.default_rng(seed)
    return [
        [random.integers(6, size=random.integers(1, 5)).tolist() for _ in range(3)]
        for _ in range(n_documents)
    ]


def holds(document, phrase):
    return any(
        tuple(span[start : start + len(phrase)]) == phrase
        for span in document
        for start in range(len(span))
    )


def npmi(documents, phrases):
    """The mean over all pairs, with documents as windows."""
    total = []
    for pair in itertools.combinations(phrases, 2):
        first, second = (np.array([holds(d, phrase) for d in documents]) for phrase in pair)
        both = (first & second).mean() + EPSILON
        total.append(math.log(both / first.mean() / second.mean()) / -math.log(both))
    return float(np.mean(total))


def test_npmi_is_that_of_documents():
    documents = random_documents()
    topics = [[(0, 1), (2,), (3, 4)], [(5,), (1, 2), (4,), (0, 3)]]
    assert all(any(holds(d, phrase) for d in documents) for topic in topics for phrase in topic)
    found = phrase_qualities({"a": topics, "b": topics[:1]}, Documents.from_lists(documents))
    assert found["a"].npmi == pytest.approx([npmi(documents, topic) for topic in topics])
    assert found["b"].npmi == pytest.approx(found["a"].npmi[:1])
    assert found["a"].diversity == 1.0
    assert ((found["a"].c_v >= 0) & (found["a"].c_v <= 1)).all()


def test_planted_pairs_are_coherent_and_strangers_are_not():
    about = [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    documents = Documents.from_lists(about * 10 + [[[8]]] * 20)
    found = phrase_qualities(
        {"planted": [[(0, 1), (2, 3)], [(4, 5), (6, 7)]], "mixed": [[(0, 1), (4, 5)]]}, documents
    )
    assert found["planted"].mean_npmi == pytest.approx(1)
    assert found["mixed"].mean_npmi < -0.8


def test_a_phrase_inside_a_better_one_is_not_judged():
    assert apart([(1, 2), (2,), (3,), (3, 4), (4,)]) == [(1, 2), (3,), (4,)]
    assert len(apart([(word,) for word in range(30)])) == 10


def test_the_usual_chain_finds_the_planted_phrases():
    random = np.random.default_rng(0)
    about = [[(0, 1), (2, 3)], [(4, 5), (6, 7)]]
    documents = [
        [list(about[number % 2][random.integers(2)]) for _ in range(8)]
        + [[8 + 50 * number + word] for word in range(50)]  # rare: `Phrases` scores by their number
        for number in range(60)
    ]
    steps = []
    found = merged_ldas(Documents.from_lists(documents), 3008, 2, lambda name, n: steps.append(n))
    assert steps == [0, 1]
    for lda, rank in itertools.product(found.values(), ("relevance", "divergence")):
        best = {frozenset(phrase for phrase in topic[:2]) for topic in lda.best_phrases(rank)}
        assert best == {frozenset(pair) for pair in about}
