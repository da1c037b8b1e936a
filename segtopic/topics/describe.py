"""Topics as phrases: a trained model and its training documents in, descriptions of topics out.

A topic is read off a document that stands for it (:mod:`segtopic.topics.definitions`). The most
probable phrases of that document are found by beam search, with exact probabilities, and ranked
(:mod:`segtopic.topics.ranking`). A list by relevance is for reading. It has what the topic's
documents speak of (:mod:`segtopic.topics.mentions`); words that merely happen to be neighbours,
phrases that all topics share and pieces of longer phrases (:mod:`segtopic.topics.fragments`) are
left out, and the whole stands for its parts. The other lists are what they say.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from segtopic.config import DEFAULT_DEFINITION, Definition, Rank
from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.model.topic_model import TopicModel
from segtopic.runs.naming import Naming
from segtopic.runs.view import TopicView
from segtopic.segment.segmented import FloatArray
from segtopic.topics.beam import most_probable_phrases
from segtopic.topics.counts import phrase_counts
from segtopic.topics.definitions import DEFINITIONS
from segtopic.topics.fragments import fragments
from segtopic.topics.mentions import Mentions, phrase_mentions, topic_weights, word_mentions
from segtopic.topics.phrases import (
    NO_WORD,
    first_word_log_probabilities,
    log_odds_of_one_phrase,
    phrase_scores,
    phrase_words,
)
from segtopic.topics.ranking import labels, ranking_scores, readable, top_words
from segtopic.topics.shares import DESCRIBED_WORDS, topic_shares
from segtopic.topics.span_ends import learn_span_ends

CANDIDATES = 400  # most probable phrases of a topic, among which the best are chosen
# What is read as a phrase: its odds against two phrases that make the same words, and its count.
TOGETHER, AT_LEAST = 50, 4
NAMED_BY = 8  # phrases of a topic; its name does not depend on how many are asked for
LEAST_LIFT = 0.2  # of the largest log lift of mentions: leaves out what all topics say


@dataclass(frozen=True)
class Term:
    """A word or phrase of a topic.

    Attributes:
        text: Its words.
        probability: Of a phrase, the share of the segments of the topic's document that it is,
            where spans end as in the training text; of a word, as the first word of any phrase.
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
    view: TopicView | None = None,
) -> list[Topic]:
    """The topics, the largest first.

    Args:
        model: trained.
        documents: that it was trained on. Phrases are counted in all of them; what topics are
            about, and their typical documents, are told by some if there are very many.
        vocabulary: its words.
        n_phrases: phrases, and words, of each topic.
        n_topics: only so many of the largest.
        rank: what comes first.
        min_words: only phrases of at least so many words.
        definition: which document stands for a topic.
        n_documents: typical documents of each topic.
        view: names and merged topics, if there are any.
    """
    model.eval()
    view = view or TopicView.of(Naming(), model.n_topics)
    looked_at = documents.evenly_spread(DESCRIBED_WORDS)
    some = documents.select(looked_at)
    theta = topic_shares(model, some)
    average, shares = theta.mean(0), view.shares(theta)
    sizes = shares.mean(0)
    chosen = sizes.argsort(descending=True)[:n_topics].tolist()
    vectors = (view.mixtures(theta) @ DEFINITIONS[definition](theta))[chosen]
    text = _Text(documents, some, topic_weights(shares.double().numpy())[:, chosen])
    best_words = _best_words(model, vectors, average, text, rank, n_phrases)
    words = [of_topic.terms(vocabulary) for of_topic in best_words]
    phrases = []
    n_candidates = max(CANDIDATES, n_phrases)
    candidates = _candidates(model, vectors, average, text, n_candidates, min_words)
    for vector, of_topic in zip(vectors, candidates, strict=True):
        ranked = of_topic[of_topic.scores(rank).argsort(descending=True, stable=True)]
        if rank == "relevance":
            best = _readable(model, vector, ranked)
            # Where no document has more of a topic than others, what is probable is listed.
            ranked = best if len(best.words) else ranked
        phrases.append(ranked.terms(vocabulary)[:n_phrases])
    # With a large 'min_words' a topic may have no phrase.
    spoken = [p or w for p, w in zip(phrases, words, strict=True)]
    given = [view.names.get(view.numbers[column]) for column in chosen]
    names = labels([[term.text for term in terms[:NAMED_BY]] for terms in spoken], given)
    return [
        Topic(
            number=view.numbers[column],
            label=names[place],
            share=float(sizes[column]),
            phrases=phrases[place],
            words=words[place],
            documents=_typical_documents(shares[:, column], looked_at, n_documents),
        )
        for place, column in enumerate(chosen)
    ]


@dataclass(frozen=True)
class _Text:
    """What the model was trained on."""

    documents: Documents  # in which phrases are counted
    some: Documents  # of them, which tell what is mentioned where
    weights: FloatArray  # (D, K) of the topics in these


@dataclass(frozen=True)
class _Scored:
    """Phrases of a topic."""

    words: IntArray  # (M, L), NO_WORD after the last word
    in_topic: Tensor  # (M,) log probability
    on_average: Tensor  # (M,)
    count: Tensor  # (M,)
    mentions: Mentions
    is_fragment: Tensor  # (M,) a piece of a longer one

    def __getitem__(self, rows: Tensor) -> "_Scored":
        return _Scored(
            self.words[rows.numpy()],
            self.in_topic[rows],
            self.on_average[rows],
            self.count[rows],
            self.mentions[rows.numpy()],
            self.is_fragment[rows],
        )

    @property
    def lengths(self) -> Tensor:
        """``(M,)`` words of each."""
        return torch.from_numpy((self.words != NO_WORD).sum(1))

    def scores(self, rank: Rank) -> Tensor:
        """``(M,)``."""
        figures = (self.in_topic, self.on_average, self.mentions)
        return ranking_scores(rank, *figures, self.lengths.numpy())

    def terms(self, vocabulary: Vocabulary) -> tuple[Term, ...]:
        """In writing."""
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
    model: TopicModel,
    vectors: Tensor,
    average: Tensor,
    text: _Text,
    n_phrases: int,
    min_words: int,
) -> list[_Scored]:
    """The most probable phrases of every topic."""
    ends = learn_span_ends(model, text.documents)
    found = [
        most_probable_phrases(model, vector, n_phrases, min_words, span_ends=ends)
        for vector in vectors
    ]
    # The text is gone through once, for the phrases of all topics.
    together, rows = np.unique(
        np.concatenate([words for words, _ in found]), axis=0, return_inverse=True
    )
    counts = torch.from_numpy(phrase_counts(text.documents, together))
    mentions = phrase_mentions(text.some, together, text.weights)
    is_fragment = torch.from_numpy(fragments(text.some, together))
    scored, begin = [], 0
    for topic, (words, in_topic) in enumerate(found):
        row, begin = rows[begin : begin + len(words)], begin + len(words)
        on_average = phrase_scores(model, average, words, ends).whole
        of_topic = mentions.of_topic(topic)[row]
        scored.append(_Scored(words, in_topic, on_average, counts[row], of_topic, is_fragment[row]))
    return scored


def _readable(model: TopicModel, vector: Tensor, ranked: _Scored) -> _Scored:
    """Phrases by relevance without what is not worth reading."""
    ranked = ranked[(~ranked.is_fragment).nonzero().squeeze(1)]
    lift = torch.from_numpy(ranked.mentions.log_lift)
    least = LEAST_LIFT * max(lift.tolist(), default=0.0)
    frequent = (ranked.count >= AT_LEAST) | (ranked.lengths == 1)
    ranked = ranked[((lift > 0) & (lift >= least) & frequent).nonzero().squeeze(1)]
    odds = log_odds_of_one_phrase(model, vector, ranked.words)
    ranked = ranked[(odds > math.log(TOGETHER)).nonzero().squeeze(1)]
    phrases = [phrase_words(phrase) for phrase in ranked.words]
    places = readable(phrases, ranked.scores("relevance").tolist(), ranked.count.tolist())
    return ranked[torch.tensor(places, dtype=torch.long)]


def _best_words(
    model: TopicModel,
    vectors: Tensor,
    average: Tensor,
    text: _Text,
    rank: Rank,
    n_words: int,
) -> list[_Scored]:
    in_topics = first_word_log_probabilities(model, vectors)
    on_average = first_word_log_probabilities(model, average[None])[0]
    counts = torch.from_numpy(text.documents.word_counts(len(on_average)))
    mentioned = word_mentions(text.some, len(on_average), text.weights)
    best = top_words(rank, in_topics, on_average, mentioned, n_words)
    return [
        _Scored(
            words[:, None].numpy(),
            in_topics[topic, words],
            on_average[words],
            counts[words],
            mentioned.of_topic(topic)[words.numpy()],
            torch.zeros_like(words, dtype=torch.bool),
        )
        for topic, words in enumerate(best)
    ]


def _typical_documents(
    shares: Tensor, numbers: IntArray, n_documents: int
) -> tuple[TypicalDocument, ...]:
    best = shares.topk(min(n_documents, len(shares)))
    pairs = zip(numbers[best.indices.numpy()].tolist(), best.values.tolist(), strict=True)
    return tuple(TypicalDocument(number, share) for number, share in pairs)
