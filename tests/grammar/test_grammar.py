"""A grammar finds planted phrases, also of words that it has never seen, and survives its file."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.config import TokenConfig
from segtopic.corpus.spans import SpanRules
from segtopic.errors import RunError
from segtopic.grammar import PhraseGrammar, every_so_many
from segtopic.grammar.grammar import MOST_CHARACTERS
from tests.grammar.planted import DETERMINERS, FUNCTION_WORDS, planted

RULES = SpanRules(TokenConfig(), FUNCTION_WORDS)


@pytest.fixture(scope="module")
def grammar():
    return PhraseGrammar.learn(planted()[0], RULES, FUNCTION_WORDS)


def likely(grammar, text):
    """Phrases of several words with a probability above one half."""
    clauses = grammar.clauses([text])
    reading = grammar.read(clauses)
    return [
        text[clauses.starts[begin] : clauses.ends[begin + size]]
        for begin, size in zip(*np.nonzero(reading.probabilities > 0.5), strict=True)
        if size
    ]


def test_openers_are_found(grammar):
    assert grammar.signs.openers == set(DETERMINERS)
    assert grammar.function_words == FUNCTION_WORDS


def test_planted_phrases_of_new_texts_are_found(grammar):
    texts, phrases = planted(400, seed=1)  # other words, but the same endings
    found = [likely(grammar, text) for text in texts]
    right = sum(len(set(one) & set(true)) for one, true in zip(found, phrases, strict=True))
    assert right >= 0.9 * sum(len(set(one)) for one in found)
    assert right >= 0.9 * sum(len(set(one)) for one in phrases)


def test_probabilities_of_phrases_that_hold_a_word_sum_to_at_most_one(grammar):
    clauses = grammar.clauses(planted(40, seed=2)[0])
    found = grammar.read(clauses).probabilities
    held = np.zeros(len(clauses))
    for length in range(1, found.shape[1] + 1):
        for more in range(length):
            held[more:] += found[: len(found) - more, length - 1]
    assert held.max() <= 1 + 1e-9


def test_even_odds_change_nothing(grammar):
    clauses = grammar.clauses(planted(4, seed=3)[0])
    even = grammar.read(clauses, np.ones(len(clauses))).probabilities
    assert grammar.read(clauses).probabilities == pytest.approx(even)


@given(st.lists(st.sampled_from(["ta", "po", "Ta", "Po", "bo", "Xix", "X", "5", "&", "%"])))
def test_any_text_can_be_read(grammar, words):
    found = grammar.read(grammar.clauses(["so " + " ".join(words)])).probabilities
    assert np.isfinite(found).all()
    assert 0 <= found.min() <= found.max() <= 1


def test_it_is_the_same_after_saving(grammar, tmp_path):
    path = tmp_path / "grammar.safetensors"
    grammar.save(path)
    loaded = PhraseGrammar.load(path, RULES)
    clauses = grammar.clauses(planted(8, seed=4)[0])
    assert (loaded.read(clauses).probabilities == grammar.read(clauses).probabilities).all()
    assert loaded.signs.to_dict() == grammar.signs.to_dict()
    assert loaded.abbreviations == grammar.abbreviations
    again = PhraseGrammar.learn(planted()[0], RULES, FUNCTION_WORDS)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_a_damaged_file_is_refused(grammar, tmp_path):
    path = tmp_path / "grammar.safetensors"
    grammar.save(path)
    content = path.read_bytes()
    for damaged in (b"", content[:100], content[:-4], b"\xff" * 64, content[:200] + content[300:]):
        path.write_bytes(damaged)
        with pytest.raises(RunError, match=r"grammar\.safetensors: is damaged .*bring back"):
            PhraseGrammar.load(path, RULES)


@pytest.mark.parametrize("texts", [[], [""], ["ta bale"] * 500, planted(8)[0] * 100])
def test_too_little_text_tells_nothing(texts):
    assert PhraseGrammar.learn(texts, RULES, FUNCTION_WORDS) is None


def test_some_texts_are_enough():
    assert every_so_many(10) == every_so_many(MOST_CHARACTERS) == 1
    assert every_so_many(3 * MOST_CHARACTERS - 1) == 3
