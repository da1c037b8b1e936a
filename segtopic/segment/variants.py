"""Spellings of one phrase: how it is written in, what all its spellings share out.

Spellings differ in case, in hyphens, and in a plural in -s of the last word: "Phrase-based models"
is "phrase based model". Other plurals and other languages' endings are left as they are.

>>> spelling_key("Phrase-based models"), spelling_key("gas  policies")
(('phrase', 'based', 'model'), ('gas', 'policy'))
>>> is_part_of(("based", "model"), ("phrase", "based", "model"))
True
"""

import re

_BETWEEN_WORDS = re.compile(r"[\s\-\u2010\u2011_/]+")
_NO_PLURAL = ("ss", "us", "is", "'s")
_LONG_ENOUGH = 4  # letters; "gas" and "his" are no plurals

Words = tuple[str, ...]


def spelling_key(text: str) -> Words:
    """The words that all spellings of a phrase share."""
    words = [word for word in _BETWEEN_WORDS.split(text.casefold()) if word]
    return (*words[:-1], _singular(words[-1])) if words else ()


def _singular(word: str) -> str:
    if len(word) < _LONG_ENOUGH or not word.endswith("s") or word.endswith(_NO_PLURAL):
        return word
    if word.endswith("ies") and len(word) > _LONG_ENOUGH:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1]


def is_part_of(part: Words, whole: Words) -> bool:
    """Whether the words follow each other somewhere in the whole."""
    return any(
        whole[begin : begin + len(part)] == part for begin in range(len(whole) - len(part) + 1)
    )
