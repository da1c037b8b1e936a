"""What a word is: the pattern of a token, the spelling that is counted, and lists of stop words.

What a reader of English expects: ``don't`` and ``O'Brien`` are one word; ``company's`` is the word
``company`` and the clitic ``'s``; ``first-degree``, ``AT&T``, ``U.S.`` and ``3,000.50`` are one
word; addresses of web pages and e-mail, and what is left of HTML, are not words. Letters of every
script are letters.

The stop words ``english`` are scikit-learn's list, the contractions that it lacks (``don't`` stays
in one piece), and the numbers that it lacks: it has six and eight, but not seven. A file holds one
word a line; ``#`` starts a comment. A word that ends in an apostrophe (``l'``, ``qu'``) is an
elision: it is split from the word it leans on.
"""

import re
import runpy
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from segtopic.errors import ConfigError

CLITICS = ("'s", "'ll", "'re", "'ve", "'d", "'m")

_SIGNS = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u00ad": None, "\u2010": "-", "\u2011": "-"})


_NEGATED = (
    "ain aren can couldn daren didn doesn don hadn hasn haven isn mayn mightn mustn needn oughtn "
    "shan shouldn wasn weren won wouldn"
)
_ONES = "one two three four five six seven eight nine"
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SUMS = (f"{ten}-{one}" for ten in _TENS.split() for one in _ONES.split())
ENGLISH_EXTRAS = frozenset(f"{verb}'t" for verb in _NEGATED.split()) | {"cannot", "e.g", "i.e"}
ENGLISH_EXTRAS |= {*_ONES.split(), *_TEENS.split(), *_TENS.split(), *_SUMS, "hundred"}


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
        rf"(?<={letter}|\u00ad){clitic}",
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


def load_stop_words(name: str | Sequence[str], lowercase: bool = True) -> frozenset[str]:
    """The stop words called ``english`` or ``none``, those in a file, or those of a list.

    Clitics such as ``'s`` belong to every list: they are words only where stop words are.
    """
    if name == "none":
        return frozenset()
    words = _of_scikit_learn() | ENGLISH_EXTRAS if name == "english" else _listed(name)
    words |= set(CLITICS)
    # Without lower-casing, 'The' at the beginning of a sentence is still a stop word.
    spellings = words if lowercase else {s for w in words for s in (w, w.capitalize(), w.upper())}
    return frozenset(normal_form(word, lowercase) for word in spellings)


def _of_scikit_learn() -> set[str]:
    """Its English stop words, from the file with nothing else in it.

    To import the package for them takes a second, as long as to read a thousand abstracts.
    """
    package = find_spec("sklearn")
    for folder in (package and package.submodule_search_locations) or ():
        path = Path(folder) / "feature_extraction" / "_stop_words.py"
        if path.exists():
            return set(runpy.run_path(str(path))["ENGLISH_STOP_WORDS"])
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # where it is laid out otherwise

    return set(ENGLISH_STOP_WORDS)


def identity(name: str | Sequence[str]) -> str:
    """What changes when the list changes; unlike the list itself, known without a slow import."""
    if name == "none":
        return name
    if name == "english":
        extras = " ".join(sorted(ENGLISH_EXTRAS))
        return f"english of scikit-learn {version('scikit-learn')} with {extras}"
    return " ".join(sorted(_listed(name)))


def elisions(stop_words: frozenset[str]) -> frozenset[str]:
    """The words of the list that lean on the next one, such as ``l'``."""
    return frozenset(word for word in stop_words if len(word) > 1 and word.endswith("'"))


def _listed(name: str | Sequence[str]) -> set[str]:
    """The words of a file, or of a list."""
    if isinstance(name, str):
        return _read(Path(name))
    for word in name:
        if len(word.split()) != 1:
            raise ConfigError(f"stop_words: '{word[:40]}' is not one word; give a list of words")
    return set(name)


def _read(path: Path) -> set[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise ConfigError(
            f"stop_words: there is no file {path}; use 'english', 'none' or a file "
            "with one word a line"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"stop_words: cannot read {path} as UTF-8 text ({error})") from None
    words = set()
    for number, line in enumerate(lines, 1):
        word = line.partition("#")[0].strip()
        if len(word.split()) > 1:
            raise ConfigError(
                f"stop_words: {path}: line {number} holds several words ('{word[:40]}'); "
                "write one word a line"
            )
        if word:
            words.add(word)
    if not words:
        raise ConfigError(f"stop_words: {path} holds no words; use 'none' to have no stop words")
    return words
