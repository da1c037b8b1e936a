"""Spans: what ends them, what is left out, and how new text is encoded."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from segtopic.config import TokenConfig
from segtopic.corpus import SpanRules, TextEncoder, Vocabulary
from segtopic.corpus.words import load_stop_words, normal_form
from segtopic.errors import ConfigError
from tests.corpus.test_tokenise import any_text, near_english

TEXT = "River bank, of the river unheard bank 12 river's bank"


def spans(text=TEXT, words=("bank", "river"), **settings):
    vocabulary = Vocabulary(words, np.ones(len(words)), np.ones(len(words)))
    encoder = TextEncoder(vocabulary, SpanRules.from_config(TokenConfig(**settings)))
    lists = encoder.encode([text]).documents.to_lists()[0]
    return [" ".join(vocabulary.decode(span)) for span in lists]


def test_every_boundary_can_be_switched():
    assert spans() == ["river bank", "river", "bank", "river", "bank"]
    assert spans(punctuation_ends_spans=False) == spans()  # 'of' still stands there
    assert spans("river, bank", punctuation_ends_spans=False) == ["river bank"]
    assert spans(unknown_words_end_spans=False) == ["river bank", "river bank river", "bank"]
    assert spans(stop_words_end_spans=False) == ["river bank", "river", "bank", "river bank"]
    everything_on = {
        "punctuation_ends_spans": False,
        "unknown_words_end_spans": False,
        "stop_words_end_spans": False,
    }
    assert spans(**everything_on) == ["river bank river bank river bank"]


def test_stop_words_kept_as_words():
    kept = ("bank", "of", "river", "the", "'s")
    expected = ["river bank", "of the river", "bank", "river 's bank"]
    assert spans(words=kept, stop_words="none") == expected


def test_possessives_and_contractions_are_stop_words():
    for word in ("don't", "can't", "'s", "'ll", "e.g", "the"):
        assert word in load_stop_words("english")
    assert load_stop_words("english") >= ENGLISH_STOP_WORDS  # without importing scikit-learn
    assert "'S" in load_stop_words("english", lowercase=False)
    assert "The" in load_stop_words("english", lowercase=False)
    assert load_stop_words("none") == frozenset()


def test_a_stop_word_file(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_text("# French\nLe\nl\u2019  # elision\nqu'\n", encoding="utf-8")
    rules = SpanRules.from_config(TokenConfig(stop_words=str(path)))
    assert {"le", "l'", "qu'", "'s"} <= rules.stop_words
    assert [t.form for t in rules.tokeniser().tokens("l'eau")] == ["l'", "eau"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"two words\n", "line 1 holds several words"),
        (b"# nothing\n", "holds no words"),
        (b"\xff\xfe", "as UTF-8"),
        (None, "there is no file"),
    ],
)
def test_bad_stop_word_files(tmp_path, content, message):
    path = tmp_path / "stop.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        load_stop_words(str(path))


def test_rules_survive_json():
    rules = SpanRules.from_config(TokenConfig(split_hyphens=True))
    assert SpanRules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules


def test_what_may_be_a_word():
    rules = SpanRules.from_config(TokenConfig())
    assert rules.may_be_word("covid-19")
    assert not any(map(rules.may_be_word, ("the", "", "x", "12", "3,000.5", "'s")))
    assert SpanRules.from_config(TokenConfig(numbers_are_words=True)).may_be_word("12")


@given(st.lists(st.one_of(any_text, near_english), max_size=4))
def test_encoding_and_decoding_agree(texts):
    words = ("a", "b", "as", "ab", "é", "ba")
    rules = SpanRules(TokenConfig(min_word_length=1), frozenset({"as"}))
    vocabulary = Vocabulary(words, np.ones(len(words)), np.ones(len(words)))
    encoded = TextEncoder(vocabulary, rules).encode(texts)
    documents = encoded.documents
    assert documents.n_documents == len(texts)
    assert documents.span_lengths.sum() == documents.n_words == len(encoded.starts)
    for d, text in enumerate(texts):
        part = slice(documents.word_offsets[d], documents.word_offsets[d + 1])
        shown = [
            normal_form(text[start:end])
            for start, end in zip(encoded.starts[part], encoded.ends[part], strict=True)
        ]
        assert shown == vocabulary.decode(documents.words[part])
        known = [t.form for t in rules.tokeniser().tokens(text) if t.form in set(words) - {"as"}]
        assert shown == known
