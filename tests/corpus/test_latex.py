"""LaTeX escapes become characters; everything else stays."""

import pytest
from hypothesis import given

from segtopic.corpus.latex import from_latex
from tests.corpus.test_tokenise import any_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"Barab\{\'a\}si \& Fell", "Barabási & Fell"),
        (
            r"G\"odel, Erd\H{o}s, Fran\c{c}ois, \'{E}cole, na\"{\i}ve",
            "Gödel, Erdős, François, École, naïve",
        ),
        (r"{C}onvergent {RNA} folding", "Convergent RNA folding"),
        (r"{\\textless}b{\\textgreater} 5{\\textendash}6", "<b> 5\u20136"),
        (r"stra{\ss}e, \o re, {\^a}", "straße, ø re, â"),
        (r"$\alpha$-helix 10\% of \emph{all}", "$\u03b1$-helix 10% of all"),
        (r"$\mathscr{X}$", "$X$"),
        (r"\unknown{x} stays", r"\unknown x stays"),
        ("plain text, no escapes", "plain text, no escapes"),
    ],
)
def test_escapes(text, expected):
    assert from_latex(text) == expected


@given(any_text)
def test_any_text_is_survived(text):
    result = from_latex(text)
    if "\\" not in text and "{" not in text:
        assert result == text
