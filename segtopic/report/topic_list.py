"""The topics of the page: a run in, their names, phrases, places and colours out."""

from dataclasses import dataclass

import numpy as np

from segtopic.corpus.documents import IntArray
from segtopic.harmless import for_page
from segtopic.report.topic_map import map_topics
from segtopic.report.topic_words import topic_words
from segtopic.runs import TrainedModel
from segtopic.segment.segmented import FloatArray
from segtopic.topics.definitions import peak
from segtopic.topics.describe import describe_topics
from segtopic.topics.shares import topic_shares

PHRASES = 12


@dataclass(frozen=True)
class TopicPhrase:
    """A phrase of a topic, its probability there, and how often it stands in the training text."""

    text: str
    probability: float
    count: int


@dataclass(frozen=True)
class ShownTopic:
    """A topic on the page; its place in the list is its number there.

    Attributes:
        number: The model's.
        label: A short name made of phrases.
        share: Of the training documents.
        phrases: Those that tell most about it.
        place: On the map, both between 0 and 1.
        hue: In degrees.
    """

    number: int
    label: str
    share: float
    phrases: list[TopicPhrase]
    place: tuple[float, float]
    hue: int


@dataclass(frozen=True)
class Topics:
    """All topics, the largest first.

    Attributes:
        shown: As the page shows them.
        order: ``(K,)`` the model's numbers, in the same order.
        words: ``(K, V)`` the words that each adds, in the same order.
    """

    shown: list[ShownTopic]
    order: IntArray
    words: FloatArray


def gather_topics(run: TrainedModel) -> Topics:
    """Look at the topics of a run with its training documents."""
    documents = run.corpus.train
    described = describe_topics(run.model, documents, run.vocabulary, PHRASES)
    order = np.array([topic.number for topic in described])
    shares = topic_shares(run.model, documents)
    words = topic_words(run.model, shares.mean(0), peak(shares))[order]
    places, hues = map_topics(words, np.array([topic.share for topic in described]))
    shown = [
        ShownTopic(
            number=topic.number,
            label=for_page(topic.label),
            share=topic.share,
            phrases=[
                TopicPhrase(for_page(term.text), term.probability, term.count)
                for term in topic.phrases
            ],
            place=(round(float(x), 4), round(float(y), 4)),
            hue=hue,
        )
        for topic, (x, y), hue in zip(described, places, hues.tolist(), strict=True)
    ]
    return Topics(shown, order, words)
