"""What a word looks like: the pattern of a token, and the spelling that the vocabulary counts.

What a reader of English expects: ``don't`` and ``O'Brien`` are one word; ``company's`` is the word
``company`` and the clitic ``'s``; ``first-degree``, ``AT&T``, ``U.S.`` and ``3,000.50`` are one
word; addresses of web pages and e-mail, and what is left of HTML, are not words. Letters of every
script are letters.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

CLITICS = ("'s", "'ll", "'re", "'ve", "'d", "'m")

_SIGNS = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u00ad": None, "\u2010": "-", "\u2011": "-"})


def normal_form(word: str, lowercase: bool = True) -> str:
    """How the vocabulary spells a word, whatever signs the author used for it."""
    word = word.replace("&amp;", "&")
    if not word.isascii():
        # NFKC makes one word of the different ways to write é, and of the ligature ﬁ and fi.
        word = unicodedata.normalize("NFKC", word.translate(_SIGNS))
        word = "".join(word.split())
    return word.rstrip(".").lower() if lowercase else word.rstrip(".")


def token_pattern(split_hyphens: bool, elisions: Iterable[str]) -> str:
    """The regular expression of a token."""
    letter, end = r"[^\W_]", r"(?![^\W_])"
    # A mark never starts a word, so the repetition cannot backtrack.
    unit = rf"{letter}+(?:[{_combining_marks()}]+{letter}*)*"
    apostrophe, hyphen = "['\u2019\u02bc]", "[-\u2010\u2011]"
    entity = r"&(?:[A-Za-z]+\d*|#\d+|#x[0-9A-Fa-f]+);"
    clitic = rf"{apostrophe}(?:[sSdDmM]|ll|LL|re|RE|ve|VE){end}"
    joiner = (
        rf"(?:(?!{clitic}){apostrophe}|&amp;|(?!{entity})&"
        + ("" if split_hyphens else f"|{hyphen}")
        + ")"
    )
    leaning = "|".join(re.escape(word[:-1]) for word in sorted(elisions))
    alternatives = [
        rf"{entity}|</?[A-Za-z][A-Za-z0-9]*/?>",
        r"(?:https?://|www\.)[^\s<>\"]+",
        r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
        rf"(?i:{leaning}){apostrophe}(?={letter})" if leaning else "",
        rf"[^\W\d_](?:\.[^\W\d_])+{end}\.?",  # U.S., e.g.
        rf"\d+(?:[.,]\d+)+{letter}*",  # 3,000.50
        rf"{unit}(?:{joiner}{unit})*",
        rf"(?<={letter}){clitic}",
        rf"{hyphen}|[^\w\s]|_",
    ]
    return "|".join(alternative for alternative in alternatives if alternative)


@cache
def _combining_marks() -> str:
    """Marks that belong to the letter before them, as the inside of a character class.

    Python's ``re`` does not count them as letters. The joiners that are invisible inside a word
    (soft hyphen, zero-width joiners) are treated likewise.
    """
    ranges_of_marks = ["\u00ad\u200c\u200d"]
    codes = [c for c in range(0x300, 0x10000) if unicodedata.category(chr(c)) in ("Mn", "Mc")]
    start = codes[0]
    for code, following in zip(codes, [*codes[1:], -1], strict=True):
        if following != code + 1:
            ranges_of_marks.append(f"{chr(start)}-{chr(code)}")
            start = following
    return "".join(ranges_of_marks)
