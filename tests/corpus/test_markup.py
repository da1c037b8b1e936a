"""HTML in texts: places stay, words appear as a reader of the page sees them, nothing is slow."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.config import CorpusConfig
from segtopic.corpus import SpanRules, corpus_from_texts
from segtopic.corpus.markup import FILLER, as_seen, without_html
from segtopic.corpus.tokenise import MARK, Tokeniser

CLEANING = Tokeniser(clean_html=True)

PIECES = """
<br_/> <br/> </p> <b> </b> <sub> </sub> &amp; &eacute; &#39; &nbsp; &quot; &lt; &gt; &foo; <!-- -->
<script> </script> <a_href='x'> < > & ; a B word 2 ' - <jats:p> &#1; &#xD800; &nGt; _
"""
marked_up = st.lists(
    st.sampled_from([piece.replace("_", " ") for piece in PIECES.split()]), max_size=12
).map("".join)


def forms(text):
    return [token.form for token in CLEANING.tokens(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("first line<br />second", ["first", "line", MARK, "second"]),
        ("<p class='a b'>A story</p>", [MARK, "a", "story", MARK]),
        ('see <a href="x.html">New York</a> now', ["see", "new", "york", "now"]),
        ("CO<sub>2</sub> and <i>E</i>", ["co2", "and", "e"]),
        ("caf&eacute;s &Eacute;cole &#233;t&#xE9;", ["cafés", "école", "été"]),
        ("don&#39;t the company&rsquo;s", ["don't", "the", "company", "'s"]),
        ("AT&amp;T R&amp;D", ["at&t", "r&d"]),
        ("New&nbsp;York &amp;nbsp; x", ["new", "york", "x"]),
        ("said &quot;no&quot;", ["said", MARK, "no", MARK]),
        ("one &lt;br /&gt; two &lt;p class=&quot;k&quot;&gt;", ["one", MARK, "two", MARK]),
        ("<script>var word = 1</script>text", [MARK, MARK, "text"]),
        ("<!-- a note -->text <!-- open", [MARK, "text", MARK, MARK, MARK, MARK, "open"]),
        ("<jats:p>A <jats:italic>coli</jats:italic></jats:p>", [MARK, "a", "coli", MARK]),
        ("if a <b and c> d", ["if", "a", MARK, "b", "and", "c", MARK, "d"]),
        ("<input disabled> <details open>", [MARK, MARK]),
        ("&unknown; x", [MARK, "x"]),
    ],
)
def test_reads_as_the_page_would_be_read(text, expected):
    assert forms(text) == expected


@given(marked_up)
def test_every_character_keeps_its_place(text):
    cleaned = without_html(text)
    assert len(cleaned.text) == len(text)
    # What was not touched stands where it stood, and tokens never reach outside of the text.
    if not cleaned.tags and not cleaned.entities:
        assert cleaned.text == text
    for token in CLEANING.tokens(text):
        assert 0 <= token.start < token.end <= len(text)
        plain = cleaned.text[token.start : token.end].replace(FILLER, "")
        if token.form != MARK:
            assert token.form == re.sub("&amp;", "&", plain).lower().rstrip(".")


@given(st.text(st.characters(exclude_characters="<&", exclude_categories=())))
def test_text_without_html_is_not_touched(text):
    assert without_html(text).text is text
    assert CLEANING.tokens(text) == Tokeniser().tokens(text)


@given(
    st.lists(st.sampled_from(["café", "naïve", "o'neil", "über", "state", "λ-rule"]), min_size=1)
)
def test_escaped_words_are_the_words(words):
    text = " ".join(words)
    escaped = "".join(
        c if c.isascii() and c != "'" else f"&#{ord(c)};" for c in html.escape(text, quote=False)
    )
    assert forms(escaped) == forms(text)
    for token, word in zip(CLEANING.tokens(escaped), words, strict=True):
        assert html.unescape(escaped[token.start : token.end]) == word


@pytest.mark.parametrize(
    "piece", ["<!--", "<script>", "<a b='", '<a b="', "<b ", "&amp;", "&#", "<"]
)
def test_hostile_repetitions_end(piece):
    text = piece * 20_000  # quadratic work would take minutes
    assert len(without_html(text).text) == len(text)


def test_the_setting_goes_with_the_rules():
    text = "Heavy rain<br />flooded the caf&eacute;."
    clean = corpus_from_texts([text])
    raw = corpus_from_texts([text], CorpusConfig(clean_html=False))
    assert set(clean.vocabulary.words) == {"heavy", "rain", "flooded", "café"}
    assert "br" in raw.vocabulary.words
    assert (clean.summary.html_documents, clean.summary.html_tags) == (1, 1)
    assert (clean.summary.html_entities, raw.summary.html_documents) == (1, 0)
    starts, ends = clean.offsets(0)
    assert [text[a:b] for a, b in zip(starts, ends, strict=True)][-1] == "caf&eacute;"
    assert SpanRules.from_dict(clean.rules.to_dict()) == clean.rules


def test_rules_of_before_leave_html_alone():
    stored = SpanRules.from_config(CorpusConfig()).to_dict()
    del stored["settings"]["clean_html"]
    assert not SpanRules.from_dict(stored).config.clean_html


@given(marked_up)
def test_what_is_seen_is_one_line_without_tags(text):
    seen = as_seen(text)
    assert seen == " ".join(seen.split())
    assert FILLER not in seen
    if "&lt;" not in text:
        assert not re.search(r"<(br|/p|b|/b|sub|/sub|/script|jats:p)\b[^>]*>", seen)
