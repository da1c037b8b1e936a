"""Stop-word lists: a name or a file in, a set of normal forms out.

``english`` is scikit-learn's list and what it lacks: contractions, because the tokeniser keeps
``don't`` in one piece, and number words. It has ``six`` and ``eight``, ``first`` and ``third``, but
not ``seven`` or ``second``; here all below a thousand are stop words, as numbers in figures are no
words either. Larger ones (``million``) are units and stay. A file holds one word a line; ``#``
starts a comment. A word that ends in an apostrophe (``l'``, ``qu'``) is an elision: the tokeniser
splits it from the word it leans on.
"""

from importlib.metadata import version
from pathlib import Path

from segtopic.corpus.words import CLITICS, normal_form
from segtopic.errors import ConfigError

_NEGATED = (
    "ain aren can couldn daren didn doesn don hadn hasn haven isn mayn mightn mustn needn oughtn "
    "shan shouldn wasn weren won wouldn"
)
_CARDINALS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty "
    "ninety hundred"
)
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth "
    "fiftieth sixtieth seventieth eightieth ninetieth hundredth"
)
NUMBER_WORDS = frozenset(f"{_CARDINALS} {_ORDINALS}".split())
ENGLISH_EXTRAS = (
    frozenset(f"{verb}'t" for verb in _NEGATED.split()) | {"cannot", "e.g", "i.e"} | NUMBER_WORDS
)


def load_stop_words(name: str, lowercase: bool = True) -> frozenset[str]:
    """The stop words called ``english`` or ``none``, or those in a file.

    Clitics such as ``'s`` belong to every list: they are words only where stop words are.
    """
    if name == "none":
        return frozenset()
    if name == "english":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # slow to import

        words = set(ENGLISH_STOP_WORDS) | ENGLISH_EXTRAS
    else:
        words = _read(Path(name))
    words |= set(CLITICS)
    # Without lower-casing, 'The' at the beginning of a sentence is still a stop word.
    spellings = words if lowercase else {s for w in words for s in (w, w.capitalize(), w.upper())}
    return frozenset(normal_form(word, lowercase) for word in spellings)


def identity(name: str) -> str:
    """What changes when the list changes; unlike the list itself, known without a slow import."""
    if name == "none":
        return name
    if name == "english":
        return f"english with all number words, of scikit-learn {version('scikit-learn')}"
    return " ".join(sorted(_read(Path(name))))


def elisions(stop_words: frozenset[str]) -> frozenset[str]:
    """The words of the list that lean on the next one, such as ``l'``."""
    return frozenset(word for word in stop_words if len(word) > 1 and word.endswith("'"))


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
