"""Which words or phrases come first, and what is worth reading: scores in, lists and labels out.

- *relevance*: how many documents of the topic mention it, and how much more than others
  (:mod:`segtopic.topics.mentions`). The one that reads best.
- *probability*: in the document that stands for the topic.
- *lift*: how many times more probable there than in the average document. Favours rare words, so
  it needs candidates that are probable enough.
- *divergence*: probability times the logarithm of the lift, which is what the word or phrase adds
  to the divergence of the topic's document from the average one, times its number of words.

A list by relevance says the same several times: 'court', 'supreme', 'supreme court'. In a readable
one the whole stands for its parts, if it holds together ('supreme court', but not 'police said').
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from segtopic.config import Rank
from segtopic.corpus.documents import IntArray
from segtopic.topics.mentions import Mentions

PROBABLE_WORDS = 200  # of a topic: those that are ranked by lift


def ranking_scores(
    rank: Rank,
    in_topic: Tensor,
    on_average: Tensor,
    mentions: Mentions,
    n_words: IntArray | int = 1,
) -> Tensor:
    """Larger is better; log probabilities of one shape in, scores of the same shape out."""
    if rank == "relevance":
        return torch.from_numpy(mentions.relevance(n_words))
    if rank == "probability":
        return in_topic
    lift = in_topic - on_average
    return lift if rank == "lift" else torch.as_tensor(n_words) * in_topic.exp() * lift


def top_words(
    rank: Rank, in_topics: Tensor, on_average: Tensor, mentions: Mentions, n_words: int = 10
) -> Tensor:
    """``(K, n)`` the best words of ``(K, V)`` topics, best first.

    For lift only probable ones, for relevance those before others that the topic makes more
    probable as first words.
    """
    scores = ranking_scores(rank, in_topics, on_average, mentions)
    if rank == "relevance":
        scores = scores.masked_fill(in_topics <= on_average, -1)
    if rank == "lift":
        least = in_topics.topk(min(PROBABLE_WORDS, in_topics.shape[1]), dim=1).values[:, -1:]
        scores = scores.masked_fill(in_topics < least, -torch.inf)
    return scores.topk(min(n_words, scores.shape[1]), dim=1).indices


Words = tuple[int, ...]

# What the whole needs of its part's relevance and count to take its place. With less of the
# relevance more phrases have several words, which are rarer, and lists are less coherent.
SHARE_OF_RELEVANCE, SHARE_OF_COUNT = 0.8, 0.1
LABEL_PHRASES = 2
NAMING_PHRASES = 4  # among which a phrase of several words is preferred
STEM_LETTERS = 6


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
        parts = [other for other in related if lies_inside(phrases[other], phrase)]
        if any(lies_inside(phrase, phrases[other]) for other in related):
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


def labels(topics: Sequence[Sequence[str]], given: Sequence[str | None] | None = None) -> list[str]:
    """A name for each topic from its phrases, best first; where one is given, that.

    Two phrases without a common word, one of several words before single ones, for these say more;
    further phrases if the name is taken.

    >>> labels([["llms", "large language models"], ["named entities", "named entity", "ner"]])
    ['large language models, llms', 'named entities, ner']
    """
    given = given or [None] * len(topics)
    taken = {name for name in given if name is not None}
    chosen: list[str] = []
    for number, (phrases, name) in enumerate(zip(topics, given, strict=True), start=1):
        if name is None:
            telling = _telling(phrases)
            fewest = min(LABEL_PHRASES, len(telling))
            names = [", ".join(telling[:n]) for n in range(fewest, len(telling) + 1)]
            names.append(f"{names[0]} ({number})")
            name = next(name for name in names if name not in taken)
        taken.add(name)
        chosen.append(name)
    return chosen


def _telling(phrases: Sequence[str]) -> list[str]:
    """The same phrases, those first that make a name."""
    several = [phrase for phrase in phrases[:NAMING_PHRASES] if " " in phrase]
    first = several[0] if several else phrases[0]
    words = {_stem(word) for word in first.split()}
    others = [phrase for phrase in phrases if phrase != first]
    apart = [phrase for phrase in others if words.isdisjoint(map(_stem, phrase.split()))]
    return [first, *apart, *(phrase for phrase in others if phrase not in apart)]


def _stem(word: str) -> str:
    """The beginning of a word: singular and plural have the same."""
    return word.rstrip("s")[:STEM_LETTERS]


def lies_inside(part: Words, whole: Words) -> bool:
    """Whether a phrase is a piece of another, or the same."""
    starts = range(len(whole) - len(part) + 1)
    return any(whole[start : start + len(part)] == part for start in starts)
