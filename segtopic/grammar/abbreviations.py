"""Which words are written with a dot that ends no sentence, learned from texts.

A word is an abbreviation if it nearly always has a dot, or if its dot is often followed by
something that begins no sentence. Words that merely end sentences have their dot less often.

>>> texts = ["Mr. Doe met Mr. Roe in Md., he said. So he said, he said Mr. Poe said it."] * 3
>>> sorted(learn_abbreviations(Tokeniser(), texts))
['md', 'mr']
"""

from collections import Counter
from collections.abc import Sequence

from segtopic.corpus.tokenise import MARK, Tokeniser

NEARLY_ALWAYS, LEAST_OFTEN = 0.8, 5  # share of a word's occurrences with a dot, and how many
OFTEN, INSIDE = 0.6, 0.1  # the same, if at least such a share of the dots are inside a sentence


def learn_abbreviations(tokeniser: Tokeniser, texts: Sequence[str]) -> frozenset[str]:
    """The abbreviations of some texts, in lower case and without their last dot."""
    all_, dotted, inside = Counter[str](), Counter[str](), Counter[str]()
    for text in texts:
        tokens = tokeniser.tokens(text)
        before, end = "", -1
        for place, token in enumerate(tokens):
            if token.form != MARK:
                before, end = token.form.lower(), token.end
                all_[before] += 1
                if text[end - 1] == ".":  # one with several dots has them all
                    dotted[before] += 1
                    inside[before] += 1
            elif before and token.start == end and text[token.start : token.end] == ".":
                dotted[before] += 1
                after = text[tokens[place + 1].start] if place + 1 < len(tokens) else ""
                inside[before] += after.islower() or after.isdigit() or after in (",", ";")
    return frozenset(
        word
        for word, times in dotted.items()
        if (times >= NEARLY_ALWAYS * all_[word] and all_[word] >= LEAST_OFTEN)
        or (times >= OFTEN * all_[word] and inside[word] >= max(INSIDE * times, 1))
    )
