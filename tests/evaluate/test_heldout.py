import numpy as np
import pytest

from segtopic.corpus import Documents
from segtopic.evaluate.heldout import DocumentScores, HeldOut


def test_a_cut_span_starts_anew():
    held_out = HeldOut.of(Documents.from_lists([[[0, 1], [2, 3, 4, 5, 6, 7]]]), share=0.5)
    assert held_out.observed.to_lists() == [[[0, 1], [2, 3]]]
    assert held_out.scored.to_lists() == [[[4, 5, 6, 7]]]
    assert held_out.continues.tolist() == [False, True, True, True]


def test_scores_are_sums_per_document_and_weighted_by_words():
    documents = Documents.from_lists([[[0, 1, 2, 3]], [], [[4] * 8]])
    held_out = HeldOut.of(documents)
    scores = held_out.scores(np.array([-3.0, -1.0, -2.0]))
    assert scores.log_likelihood.tolist() == [-3.0, 0.0, -3.0]
    assert scores.words.tolist() == [1, 0, 2]
    assert scores.per_word == -2.0


def test_chosen_words_only():
    held_out = HeldOut.of(Documents.from_lists([[[0, 1, 2]], [[3]]]), share=0.0)
    scores = held_out.scores(np.array([-np.inf, -1.0, -2.0, -4.0]), held_out.continues)
    assert scores.log_likelihood.tolist() == [-3.0, 0.0]
    assert scores.words.tolist() == [2, 0]
    assert scores.per_word == -1.5


def test_nothing_to_score():
    nothing = HeldOut.of(Documents.from_lists([[], []])).scores(np.zeros(0))
    assert nothing.words.tolist() == [0, 0]
    assert np.isnan(nothing.per_word)


def test_all_words_observed():
    documents = Documents.from_lists([[[0, 1]], [[2]]])
    everything = HeldOut(documents, Documents.from_lists([[], []]))
    assert everything.scores(np.zeros(0)).log_likelihood.tolist() == [0.0, 0.0]


def test_wrong_shapes_are_refused():
    held_out = HeldOut.of(Documents.from_lists([[[0, 1, 2, 3]]]))
    with pytest.raises(ValueError, match="1 scored words need as many"):
        held_out.scores(np.zeros(3))
    with pytest.raises(ValueError, match="per document"):
        DocumentScores(np.zeros(2), np.zeros(3, dtype=int))
    with pytest.raises(ValueError, match=r"share is 1\.0"):
        HeldOut.of(Documents.from_lists([[[0]]]), share=1.0)
