"""Clauses: what ends one, what does not, and where every word stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus.tokenise import Tokeniser
from segtopic.grammar.abbreviations import learn_abbreviations
from segtopic.grammar.clauses import LONGEST_CLAUSE, Case, ClauseReader

READER = ClauseReader(Tokeniser(), frozenset({"mr", "corp", "sept"}))


def read(text):
    clauses = READER.read([text])
    return [clauses.forms[begin:end] for begin, end in clauses.bounds]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Smith left. He went.", [["mr", "smith", "left"], ["he", "went"]]),
        ("J. P. Morgan, banker", [["j", "p", "morgan"], ["banker"]]),
        ("the U.S. Treasury", [["the", "u.s", "treasury"]]),
        ("AMR Corp. said", [["amr", "corp", "said"]]),
        ("It was I. He left", [["it", "was", "i"], ["he", "left"]]),
        ("workers' rights 'quoted' here", [["workers", "'", "rights"], ["quoted"], ["here"]]),
        ("the firm 's plan", [["the", "firm", "'s", "plan"]]),
        ("the firm\u2019s plan", [["the", "firm", "'s", "plan"]]),
        ("paid $ 5 (10 %)", [["paid", "$", "5"], ["10", "%"]]),
        ("to Brown & Sons", [["to", "brown", "&", "sons"]]),
        ("one\n\ntwo", [["one"], ["two"]]),
        ("", []),
        ("...", []),
    ],
)  # fmt: skip
def test_what_ends_a_clause(text, expected):
    assert read(text) == expected


def test_capitals_tell_nothing_where_everything_has_one():
    clauses = READER.read(["So Bill met IBM here. FOX HUNTING HAS ENDED. IBM and AMR"])
    names = [Case(case).name for case in clauses.cases]
    assert names[:5] == ["UNKNOWN", "CAPITAL", "LOWER", "UPPER", "LOWER"]
    assert set(names[5:9]) == {"UNKNOWN"}
    assert names[9:] == ["UNKNOWN", "LOWER", "UPPER"]


@given(st.lists(st.text("aB.,'\u2019 s$%&\n\u00e9-1I", max_size=40), max_size=4))
def test_every_word_stands_where_it_says(texts):
    clauses = READER.read(texts)
    assert clauses.lengths.sum() == len(clauses.forms)
    before = (-1, 0)
    for form, text, start, end in zip(
        clauses.forms, clauses.texts, clauses.starts, clauses.ends, strict=True
    ):
        assert (text, start) >= before
        assert 0 <= start < end <= len(texts[text])
        assert form
        before = (text, end)
    alone = [READER.read([text]) for text in texts]
    assert [form for one in alone for form in one.forms] == clauses.forms


def test_what_has_no_marks_is_cut():
    assert [len(clause) for clause in read("word " * 450)] == [LONGEST_CLAUSE] * 2 + [50]


def test_abbreviations_are_learned():
    texts = [
        "Sen. Doe of Sept. Falls met Gen. Roe at Acme Corp. on Aug. 3, said Doe.",
        "Sen. Roe said no. Gen. Poe said no, so did Acme Corp. of Sept. Falls.",
        "Sen. Poe agreed on Aug. 4. Gen. Doe agreed. So agreed all, no one left.",
    ] * 2
    found = learn_abbreviations(Tokeniser(), texts)
    assert {"sen", "gen", "corp", "aug"} <= found
    assert not {"said", "no", "doe", "agreed", "left", "falls"} & found - {"left", "falls"}
