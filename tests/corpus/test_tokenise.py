"""Tokens: exact offsets, the spelling that readers expect, and speed-ups that change nothing."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus import tokenise
from segtopic.corpus.tokenise import MARK, Tokeniser
from segtopic.corpus.words import normal_form

any_text = st.text(st.characters(exclude_categories=()))  # lone surrogates, too
near_english = st.text(st.sampled_from(list("aBé'\u2019-.,& \n\t(1_)s\u0301\u00ad@/:w")))

TOKENISERS = {
    (lower, split): Tokeniser(lower, split) for lower in (True, False) for split in (True, False)
}
PLAIN = TOKENISERS[True, False]


def forms(text, tokeniser=PLAIN):
    return [token.form for token in tokeniser.tokens(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don't DON\u2019T won't", ["don't", "don't", "won't"]),
        ("the company's COMPANY'S", ["the", "company", "'s", "company", "'s"]),
        ("we'll I'm they've he'd", ["we", "'ll", "i", "'m", "they", "'ve", "he", "'d"]),
        ("O'Brien rock'n'roll", ["o'brien", "rock'n'roll"]),
        ("officials' 'quoted'", ["officials", MARK, MARK, "quoted", MARK]),
        ("state-of-the-art word--word", ["state-of-the-art", "word", MARK, MARK, "word"]),
        ("non\u2011breaking -leading", ["non-breaking", MARK, "leading"]),
        ("AT&T said", ["at&t", "said"]),
        ("the U.S. and e.g. J.Smith", ["the", "u.s", "and", "e.g", "j", MARK, "smith"]),
        ("3,000.50 or 1989-1990 2nd", ["3,000.50", "or", "1989-1990", "2nd"]),
        ("10% of $5", ["10", MARK, "of", MARK, "5"]),
        ("snake_case", ["snake", MARK, "case"]),
        ("see http://x.org/a?b=1 or www.x.org", ["see", MARK, "or", MARK]),
        ("mail me@x.org.", ["mail", MARK, MARK]),
        ("naïve Straße ÉCOLE", ["naïve", "straße", "école"]),
        ("cafe\u0301 café", ["café", "café"]),
        ("ﬁnd inter\u00adnational", ["find", "international"]),
        ("Москва हिन्दी العربية", ["москва", "हिन्दी", "العربية"]),
        ("title\n\nbody\nline", ["title", MARK, "body", "line"]),
        ("title\r\n \r\nbody", ["title", MARK, "body"]),
        ("", []),
    ],
)
def test_reads_as_a_reader_expects(text, expected):
    assert forms(text) == expected


def test_switches():
    assert forms("First-degree -x", TOKENISERS[False, True]) == ["First", "degree", MARK, "x"]
    french = Tokeniser(elisions=["l'", "qu'"])
    assert forms("L'homme qu\u2019il aujourd'hui", french) == [
        "l'",
        "homme",
        "qu'",
        "il",
        "aujourd'hui",
    ]


@given(st.one_of(any_text, near_english), st.booleans(), st.booleans())
def test_tokens_and_gaps_rebuild_the_text(text, lowercase, split_hyphens):
    tokens = TOKENISERS[lowercase, split_hyphens].tokens(text)
    rebuilt, end = "", 0
    for token in tokens:
        assert end <= token.start < token.end
        rebuilt += text[end : token.start] + text[token.start : token.end]
        end = token.end
        if token.form != MARK:
            assert token.form == normal_form(text[token.start : token.end], lowercase)
            assert not any(c.isspace() for c in token.form)
    assert rebuilt + text[end:] == text


@given(st.one_of(any_text, near_english))
def test_nothing_but_space_and_joining_marks_lies_between_tokens(text):
    end = 0
    for token in [*PLAIN.tokens(text), tokenise.Token(len(text), len(text), MARK)]:
        # Letters never fall through: what is left out of all tokens has no letter in it.
        assert not any(c.isalnum() for c in text[end : token.start])
        end = token.end


@given(st.one_of(any_text, near_english))
def test_shortcuts_change_nothing(text):
    slow = Tokeniser()
    slow._plain = re.compile(r"(?!)()")  # NLTK reads every piece
    assert slow.tokens(text) == PLAIN.tokens(text)
    # A text with a tab is cut by the regular expression, not at spaces.
    assert PLAIN.tokens(text + "\t") == PLAIN.tokens(text)


@given(st.lists(st.one_of(any_text, near_english), max_size=5))
def test_a_batch_is_its_documents(texts):
    batch = PLAIN.batch(texts)
    assert len(batch.tokens_per_document) == len(texts)
    ends = np.cumsum(batch.tokens_per_document)
    for text, end, count in zip(texts, ends, batch.tokens_per_document, strict=True):
        part = slice(end - count, end)
        tokens = PLAIN.tokens(text)
        assert [batch.forms[i] for i in batch.form_ids[part]] == [t.form for t in tokens]
        assert batch.starts[part].tolist() == [t.start for t in tokens]
    counts = np.bincount(batch.form_ids, minlength=len(batch.forms))
    assert batch.counts.tolist() == counts.tolist()
    for number, form in enumerate(batch.forms):
        holding = sum(form in forms(text) for text in texts)
        assert batch.document_counts[number] == holding


def test_long_documents_are_read_in_stretches(monkeypatch):
    text = "The river's bank,  a\n\nnew-found " * 50
    whole = PLAIN.tokens(text)
    monkeypatch.setattr(tokenise, "STRETCH", 64)
    assert PLAIN.tokens(text) == whole


def test_a_run_without_white_space_is_cut(monkeypatch):
    text = "x" * 1200 + " end"
    tokens = PLAIN.tokens(text)
    assert [t.end - t.start for t in tokens] == [500, 500, 200, 3]
    assert tokens[-1].start == 1201


def test_forgetting_pieces_changes_nothing(monkeypatch):
    monkeypatch.setattr(tokenise, "MOST_PIECES", 2)
    tokeniser = Tokeniser()
    for text in ("one two three", "three four", "one's five, six"):
        assert tokeniser.tokens(text) == PLAIN.tokens(text)
