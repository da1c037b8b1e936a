"""A phrase with a stop word inside is the segment model's, beside a grammar, too."""

import numpy as np
import pytest
import torch

from segtopic.config import TokenConfig
from segtopic.corpus import Vocabulary
from segtopic.corpus.spans import SpanRules, TextEncoder
from segtopic.grammar import PhraseGrammar
from segtopic.lattice import Spans
from segtopic.segment.candidates import Candidates
from segtopic.segment.segmenter import ScoredTexts
from segtopic.segment.wishes import Wishes
from tests.grammar.planted import FUNCTION_WORDS, planted

# "Pomme de terre" of the planted language: "po" is a preposition, and stop words are words here.
WORDS = ("pomon", "po", "teron", "ta", "basal")
RULES = SpanRules(TokenConfig(stop_words="none", min_word_length=1), frozenset())
TEXT = "ta basal pomon po teron"


@pytest.fixture(scope="module")
def grammar():
    return PhraseGrammar.learn(planted()[0], RULES, FUNCTION_WORDS)


def found(grammar, joined):
    """The probability of "pomon po teron", if the segment model's odds of joining it are so."""
    ones = np.ones(len(WORDS), dtype=np.int64)
    encoded = TextEncoder(Vocabulary(WORDS, ones, ones), RULES).encode([TEXT])
    spans = Spans.from_lengths(torch.from_numpy(encoded.documents.span_lengths))
    scores = torch.full((5, 3), -torch.inf, dtype=torch.float64)
    scores[:, 0] = 0
    scores[2, 2] = joined
    scored = ScoredTexts([TEXT], encoded, scores, spans, np.ones((1, 1)), np.zeros(1))
    candidates = Candidates.of_grammar(scored, WORDS, FUNCTION_WORDS, grammar, Wishes())
    assert candidates.words == TEXT.split()
    assert candidates.probabilities[[1, 3], 1:].max() < 1  # nothing begins or ends with "po"
    assert (candidates.probabilities[3] == 0).all()
    return float(candidates.probabilities[2, 2])


def test_it_is_as_probable_as_the_segment_model_says(grammar):
    assert found(grammar, 3.0) == pytest.approx(1 / (1 + np.exp(-3)))
    assert found(grammar, -torch.inf) == 0
