"""The topics of the page: a run in, their names, phrases, words, places and colours out."""

from dataclasses import dataclass

import numpy as np
from scipy.special import entr
from sklearn.manifold import ClassicalMDS

from segtopic.corpus.documents import IntArray
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.harmless import for_page
from segtopic.runs import TrainedModel
from segtopic.runs.view import TopicView
from segtopic.segment.segmented import FloatArray, SegmentedDocument
from segtopic.topics.added_words import topic_words
from segtopic.topics.definitions import peak
from segtopic.topics.described import described_topics
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

    @property
    def further_phrases(self) -> list[str]:
        """Those that its label does not name."""
        named = self.label.split(", ")
        return [phrase.text for phrase in self.phrases if phrase.text not in named]


@dataclass(frozen=True)
class Topics:
    """All topics, the largest first.

    Attributes:
        shown: As the page shows them.
        order: ``(K,)`` their columns in :meth:`~segtopic.runs.view.TopicView.shares`.
        words: ``(K, V)`` the words that each adds, in the same order.
    """

    shown: list[ShownTopic]
    order: IntArray
    words: FloatArray


def gather_topics(run: TrainedModel, view: TopicView | None = None) -> Topics:
    """The topics of a run, by its own view if no other is given, in its training documents."""
    documents, view = run.corpus.train, view or run.view
    described = described_topics(run, PHRASES, view=view)
    order = np.array([view.numbers.index(topic.number) for topic in described])
    shares = topic_shares(run.model, documents)
    words = topic_words(run.model, shares.mean(0), peak(shares))
    words = (view.mixtures(shares).double().numpy() @ words)[order]
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


def topics_of_phrases(
    document: SegmentedDocument,
    vocabulary: Vocabulary,
    shares: FloatArray,
    by_topic: FloatArray,
) -> list[int]:
    """The topic that most probably made each phrase of a document.

    A segment's topic tells its first word, so that one counts; of a marked phrase all known words
    do. A phrase without a known word is of the document's largest topic.

    Args:
        document: with phrases.
        vocabulary: of the model.
        shares: ``(K,)`` of the topics in the document.
        by_topic: ``(K, V)`` distributions of words.
    """
    log_shares, numbers = _log(shares), vocabulary.numbers
    topics = []
    for phrase in document.phrases:
        words = phrase.words if document.marked else phrase.words[:1]
        known = [numbers[word] for word in words if word in numbers]
        topics.append(int((log_shares + _log(by_topic[:, known]).sum(1)).argmax()))
    return topics


def _log(probabilities: FloatArray) -> FloatArray:
    logs: FloatArray = np.log(probabilities.clip(min=np.finfo(np.float64).tiny))
    return logs


def map_topics(by_topic: FloatArray, shares: FloatArray) -> tuple[FloatArray, IntArray]:
    """``(K, 2)`` places between 0 and 1, and ``(K,)`` hues in degrees.

    Topics with the same words lie close together: their distance is the square root of the
    Jensen-Shannon divergence, and classical scaling finds the plane that keeps the squared
    distances best. Hues go round the map, so that neighbours look alike; a large topic is further
    from its neighbours, because there is more to tell apart.

    Args:
        by_topic: ``(K, V)`` distributions of words.
        shares: ``(K,)`` of the topics in the documents.
    """
    places = np.zeros((len(by_topic), 2))  # one topic alone has no directions
    scaling = ClassicalMDS(n_components=2, metric="precomputed")
    found = scaling.fit_transform(np.sqrt(divergences(by_topic)))
    places[:, : found.shape[1]] = found
    from_centre = places - places.mean(0)
    angles = np.arctan2(from_centre[:, 1], from_centre[:, 0])
    round_the_map = np.argsort(angles, kind="stable")
    widths = np.sqrt(shares[round_the_map])
    hues = np.empty(len(places), dtype=np.int64)
    hues[round_the_map] = np.round(360 * (np.cumsum(widths) - widths / 2) / widths.sum())
    extent = np.ptp(places, axis=0).max()
    unit = (places - places.min(0)) / extent if extent > 0 else np.full_like(places, 0.5)
    return unit, hues


def divergences(by_topic: FloatArray) -> FloatArray:
    """``(K, K)`` Jensen-Shannon divergences in nats, between 0 and log 2."""
    entropies = entr(by_topic).sum(1)
    result = np.zeros((len(by_topic), len(by_topic)))
    for number, words in enumerate(by_topic):
        middle = entr((by_topic + words) / 2).sum(1)
        result[number] = middle - (entropies + entropies[number]) / 2
    symmetric: FloatArray = (result + result.T).clip(min=0) / 2
    np.fill_diagonal(symmetric, 0)
    return symmetric
