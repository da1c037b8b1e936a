"""Topics as phrases: a trained model and its training documents in, lists of phrases out.

A corner of the simplex is far from any document, so a topic is taken as what its weight changes:
``p_k`` is the distribution of first words of the average document with all the weight of topic
``k`` that any real document has (its 99th percentile), ``p`` that of the average document. A
phrase ``v w ..`` has the probability ``p_k(v)`` times what the phrase memory gives to the words
after ``v`` and to its end. Phrases are ranked by ``p_k(phrase) log(p_k(v) / p(v))``: probable in
the topic, and more so than elsewhere. A word that mostly stands in one phrase is shown as that
phrase.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.model import PackedCorpus
from segtopic.model.continuation import GatedPhrases
from segtopic.model.inference import encoder_mean
from segtopic.model.topics import TopicModel

TOP_PERCENTILE = 0.99
BATCH = 64
MOSTLY = 0.4  # share of a word's occurrences that makes a phrase speak for it
AT_LEAST = 4  # occurrences of such a phrase
CANDIDATES = 400  # phrases looked at per topic before repetitions are removed


@dataclass(frozen=True)
class Topic:
    """One topic.

    Attributes:
        number: From 0 on.
        share: Of the training documents.
        phrases: The phrases (of one or more words) that tell most about it, best first.
    """

    number: int
    share: float
    phrases: tuple[str, ...]


@torch.no_grad()
def describe_topics(
    model: TopicModel, documents: Documents, vocabulary: Vocabulary, n_phrases: int = 8
) -> list[Topic]:
    """All topics, the largest first."""
    model.eval()
    theta = _shares(model, documents)
    mean = theta.mean(0)
    peaks = theta.quantile(TOP_PERCENTILE, dim=0)
    # Topic k at its peak, the others scaled down to make room.
    rest = mean * ((1 - peaks) / (1 - mean).clamp(min=1e-6))[:, None]
    at_peak = rest.fill_diagonal_(0) + torch.diag(peaks)
    words = model.first_word_distribution(torch.cat([at_peak, mean[None]]))
    by_topic, average = words[:-1], words[-1]
    lift = (by_topic / average).log()
    phrases = _phrases(model)
    spokesman = _spokesmen(phrases, np.bincount(documents.words, minlength=len(vocabulary)))
    topics = []
    for number in torch.argsort(mean, descending=True).tolist():
        probability = by_topic[number, phrases.first] * phrases.rest
        merit = probability * lift[number, phrases.first]
        best = merit.topk(min(CANDIDATES, len(merit))).indices.tolist()
        names = (
            tuple(
                vocabulary.words[w] for w in phrases.words[spokesman.get(i, i)].tolist() if w >= 0
            )
            for i in best
        )
        topics.append(Topic(number, float(mean[number]), _without_parts(names, n_phrases)))
    return topics


def _shares(model: TopicModel, documents: Documents) -> Tensor:
    packed = PackedCorpus(documents, model.scorer.max_length)
    parts = []
    for begin in range(0, len(packed), BATCH):
        batch = packed.batch(np.arange(begin, min(begin + BATCH, len(packed))))
        parts.append(model.theta(encoder_mean(model, batch).zeta))
    return torch.cat(parts)


@dataclass(frozen=True)
class _Phrases:
    words: Tensor  # (M, L), -1 after the last word
    first: Tensor  # (M,)
    rest: Tensor  # (M,) probability of everything but the first word
    counts: Tensor  # (M,) in the training text; 0 for single words


def _phrases(model: TopicModel) -> _Phrases:
    """All single words, and all phrases that the memory knows."""
    size = model.scorer.vocabulary_size
    words = torch.arange(size)[:, None]
    continuation = model.scorer.continuation
    if not isinstance(continuation, GatedPhrases):
        return _Phrases(words, words[:, 0], torch.ones(size), torch.zeros(size))
    levels, masses = [words], [torch.ones(size)]
    for length in range(2, continuation.phrases.max_length + 1):
        history, mass = continuation.phrases.continuations(length)
        parent = torch.div(history, size, rounding_mode="floor")
        levels.append(torch.cat([levels[-1][parent], (history % size)[:, None]], dim=1))
        masses.append(masses[-1][parent] * mass)
    ends = [mass * continuation.phrases.ends(n) for n, mass in enumerate(masses, start=1)]
    longest = levels[-1].shape[1]
    padded = [
        torch.nn.functional.pad(level, (0, longest - level.shape[1]), value=-1) for level in levels
    ]
    all_words = torch.cat(padded)
    memory = continuation.phrases
    known = [getattr(memory, f"counts_{n}") for n in range(2, memory.max_length + 1)]
    counts = torch.cat([torch.zeros(size, dtype=torch.long), *known])
    return _Phrases(all_words, all_words[:, 0], torch.cat(ends), counts)


def _spokesmen(phrases: _Phrases, word_counts: IntArray) -> dict[int, int]:
    """For words that mostly stand in one phrase, the number of the longest such phrase."""
    words, counts = phrases.words.numpy(), phrases.counts.numpy()
    enough = np.flatnonzero(counts >= AT_LEAST)
    found: dict[int, int] = {}
    # Longer phrases come later, and more frequent ones of the same length win.
    lengths = (words[enough] >= 0).sum(1)
    for number in enough[np.lexsort((counts[enough], lengths))].tolist():
        for word in words[number].tolist():
            if word >= 0 and counts[number] >= MOSTLY * word_counts[word]:
                found[word] = number
    return found


def _without_parts(phrases: Iterable[tuple[str, ...]], n_phrases: int) -> tuple[str, ...]:
    """The first phrases that do not lie inside each other: no 'supreme' beside 'supreme court'."""
    chosen: list[tuple[str, ...]] = []
    for phrase in phrases:
        if len(chosen) == n_phrases:
            break
        if not any(_inside(phrase, other) or _inside(other, phrase) for other in chosen):
            chosen.append(phrase)
    return tuple(" ".join(phrase) for phrase in chosen)


def _inside(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    starts = range(len(whole) - len(part) + 1)
    return any(whole[start : start + len(part)] == part for start in starts)
