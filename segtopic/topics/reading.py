"""A ranked list of phrases made readable, and names for topics.

A list by relevance says the same several times: 'court', 'supreme', 'supreme court'. Here the whole
stands for its parts, if it holds together ('supreme court', but not 'police said').
"""

from collections.abc import Sequence

Words = tuple[int, ...]

# What the whole needs of its part's relevance and count to take its place.
SHARE_OF_RELEVANCE, SHARE_OF_COUNT = 0.2, 0.1
LABEL_PHRASES = 2


def readable(
    phrases: Sequence[Words], relevance: Sequence[float], counts: Sequence[int]
) -> list[int]:
    """The places of phrases that do not lie inside each other, in the order of their best parts.

    Args:
        phrases: that hold together, by falling relevance.
        relevance: of each.
        counts: of each in the text.
    """
    chosen: list[int] = []
    for place, phrase in enumerate(phrases):
        related = [other for other in chosen if not set(phrase).isdisjoint(phrases[other])]
        parts = [other for other in related if _inside(phrases[other], phrase)]
        if any(_inside(phrase, phrases[other]) for other in related):
            continue
        if not parts:
            chosen.append(place)
        elif (
            relevance[place] >= SHARE_OF_RELEVANCE * relevance[parts[0]]
            and counts[place] >= SHARE_OF_COUNT * counts[parts[0]]
        ):
            chosen.insert(chosen.index(parts[0]), place)
            chosen = [other for other in chosen if other not in parts]
    return chosen


def labels(topics: Sequence[Sequence[str]]) -> list[str]:
    """A name for each topic from its phrases, best first: two of them, more if it is taken."""
    chosen: list[str] = []
    for number, phrases in enumerate(topics, start=1):
        fewest = min(LABEL_PHRASES, len(phrases))
        names = [", ".join(phrases[:n]) for n in range(fewest, len(phrases) + 1)]
        names.append(f"{names[0]} ({number})")
        chosen.append(next(name for name in names if name not in chosen))
    return chosen


def _inside(part: Words, whole: Words) -> bool:
    starts = range(len(whole) - len(part) + 1)
    return any(whole[start : start + len(part)] == part for start in starts)
