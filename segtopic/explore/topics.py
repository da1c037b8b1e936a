"""Topics as phrases: a trained model and its training documents in, descriptions of topics out.

A topic is read off a document that stands for it (:mod:`segtopic.explore.definitions`). The most
probable phrases of that document are found by beam search, with exact probabilities, and ranked
(:mod:`segtopic.explore.ranking`). A list by relevance is for reading: a phrase and a part of it do
not both stand there, and a word that mostly stands in one phrase is shown as that phrase. Lists by
probability or lift are what they say.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.explore.beam import most_probable_phrases
from segtopic.explore.counts import phrase_counts
from segtopic.explore.definitions import DEFAULT_DEFINITION, DEFINITIONS, Definition
from segtopic.explore.phrases import (
    NO_WORD,
    first_word_log_probabilities,
    log_odds_of_one_phrase,
    phrase_scores,
    phrase_words,
)
from segtopic.explore.ranking import Rank, ranking_scores, top_words
from segtopic.explore.reading import labels, readable
from segtopic.explore.shares import topic_shares
from segtopic.model.topics import TopicModel

CANDIDATES = 400  # most probable phrases of a topic, among which the best are chosen
# What is read as a phrase: its odds against two phrases that make the same words, and its count.
TOGETHER, AT_LEAST = 50, 4


@dataclass(frozen=True)
class Term:
    """A word or phrase of a topic.

    Attributes:
        text: Its words.
        probability: Of the phrase with its end in the topic's document; of a word, as the first
            word of any phrase.
        lift: How many times more probable that is than in the average document.
        count: How often it stands in the training text; 0 if the model made it up.
    """

    text: str
    probability: float
    lift: float
    count: int


@dataclass(frozen=True)
class TypicalDocument:
    """A document with much of a topic.

    Attributes:
        number: Among the training documents, from 0 on.
        share: Of the topic in it.
    """

    number: int
    share: float


@dataclass(frozen=True)
class Topic:
    """One topic.

    Attributes:
        number: From 0 on.
        label: Its best phrases; no other topic has the same.
        share: Of the training documents.
        phrases: Of one or more words, best first.
        words: Best first.
        documents: The most typical first.
    """

    number: int
    label: str
    share: float
    phrases: tuple[Term, ...]
    words: tuple[Term, ...]
    documents: tuple[TypicalDocument, ...]


@torch.no_grad()
def describe_topics(
    model: TopicModel,
    documents: Documents,
    vocabulary: Vocabulary,
    n_phrases: int = 8,
    n_topics: int | None = None,
    rank: Rank = "relevance",
    min_words: int = 1,
    definition: Definition = DEFAULT_DEFINITION,
    n_documents: int = 3,
) -> list[Topic]:
    """The topics, the largest first.

    Args:
        model: trained.
        documents: that it was trained on.
        vocabulary: its words.
        n_phrases: phrases, and words, of each topic.
        n_topics: only so many of the largest.
        rank: what comes first.
        min_words: only phrases of at least so many words.
        definition: which document stands for a topic.
        n_documents: typical documents of each topic.
    """
    model.eval()
    shares = topic_shares(model, documents)
    average = shares.mean(0)
    chosen = average.argsort(descending=True)[:n_topics].tolist()
    vectors = DEFINITIONS[definition](shares)[chosen]
    words = _best_words(model, vectors, average, documents, rank, n_phrases)
    phrases = []
    candidates = _candidates(model, vectors, average, documents, max(CANDIDATES, n_phrases))
    for vector, of_topic in zip(vectors, candidates, strict=True):
        ranked = _ranked(of_topic, rank, min_words)
        if rank == "relevance":
            ranked = _readable(model, vector, ranked)
        phrases.append(ranked.terms(vocabulary)[:n_phrases])
    names = labels([[term.text for term in of_topic] for of_topic in phrases])
    return [
        Topic(
            number=number,
            label=names[place],
            share=float(average[number]),
            phrases=phrases[place],
            words=words[place].terms(vocabulary),
            documents=_typical_documents(shares[:, number], n_documents),
        )
        for place, number in enumerate(chosen)
    ]


@dataclass(frozen=True)
class _Scored:
    """Phrases of a topic."""

    words: IntArray  # (M, L), NO_WORD after the last word
    in_topic: Tensor  # (M,) log probability
    on_average: Tensor  # (M,)
    count: IntArray  # (M,)

    def __getitem__(self, rows: Tensor) -> "_Scored":
        at = rows.numpy()
        return _Scored(self.words[at], self.in_topic[rows], self.on_average[rows], self.count[at])

    def terms(self, vocabulary: Vocabulary) -> tuple[Term, ...]:
        lift = (self.in_topic - self.on_average).exp()
        return tuple(
            Term(" ".join(vocabulary.words[w] for w in phrase_words(phrase)), *figures)
            for phrase, *figures in zip(
                self.words,
                self.in_topic.exp().tolist(),
                lift.tolist(),
                self.count.tolist(),
                strict=True,
            )
        )


def _candidates(
    model: TopicModel, vectors: Tensor, average: Tensor, documents: Documents, n_phrases: int
) -> list[_Scored]:
    """The most probable phrases of every topic."""
    found = [most_probable_phrases(model, vector, n_phrases) for vector in vectors]
    counts = phrase_counts(documents, np.concatenate([words for words, _ in found]))
    ends = np.cumsum([len(words) for words, _ in found])
    return [
        _Scored(words, in_topic, phrase_scores(model, average, words).whole, count)
        for (words, in_topic), count in zip(found, np.split(counts, ends[:-1]), strict=True)
    ]


def _ranked(candidates: _Scored, rank: Rank, min_words: int) -> _Scored:
    order = ranking_scores(rank, candidates.in_topic, candidates.on_average).argsort(
        descending=True
    )
    lengths = torch.from_numpy((candidates.words != NO_WORD).sum(1))
    return candidates[order[lengths[order] >= min_words]]


def _readable(model: TopicModel, vector: Tensor, ranked: _Scored) -> _Scored:
    """Phrases by relevance without what is not worth reading."""
    relevance = ranking_scores("relevance", ranked.in_topic, ranked.on_average)
    several = ranked.words[:, 1:2].max(1, initial=NO_WORD) != NO_WORD
    odds = log_odds_of_one_phrase(model, vector, ranked.words)
    frequent = torch.from_numpy(~several | (ranked.count >= AT_LEAST))
    worth = (relevance > 0) & frequent & (odds > math.log(TOGETHER))
    ranked, relevance = ranked[worth.nonzero().squeeze(1)], relevance[worth]
    phrases = [phrase_words(phrase) for phrase in ranked.words]
    return ranked[
        torch.tensor(readable(phrases, relevance.tolist(), ranked.count.tolist()), dtype=torch.long)
    ]


def _best_words(
    model: TopicModel,
    vectors: Tensor,
    average: Tensor,
    documents: Documents,
    rank: Rank,
    n_words: int,
) -> list[_Scored]:
    in_topics = first_word_log_probabilities(model, vectors)
    on_average = first_word_log_probabilities(model, average[None])[0]
    counts = np.bincount(documents.words, minlength=len(on_average))
    best = top_words(rank, in_topics, on_average, n_words)
    return [
        _Scored(words[:, None].numpy(), in_topic[words], on_average[words], counts[words.numpy()])
        for in_topic, words in zip(in_topics, best, strict=True)
    ]


def _typical_documents(shares: Tensor, n_documents: int) -> tuple[TypicalDocument, ...]:
    best = shares.topk(min(n_documents, len(shares)))
    pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return tuple(TypicalDocument(number, share) for number, share in pairs)
