"""Find again: a run and a question in, documents, topics or phrases out.

Documents are alike if they have the same topics and the same words: the mean of the Bhattacharyya
coefficient of their topic shares and the cosine of their words weighted by tf-idf, both between 0
and 1. Topics alone would call any two documents about one topic the same.

>>> import segtopic
>>> finder = Finder(segtopic.load("runs/ap"))  # doctest: +SKIP
>>> finder.like("AP881218-0003")[0].id  # doctest: +SKIP
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from scipy import sparse

from segtopic.config import did_you_mean
from segtopic.corpus.documents import Documents, IntArray
from segtopic.errors import ConfigError
from segtopic.runs import TrainedModel
from segtopic.segment import Segmenter
from segtopic.segment.segmented import FloatArray
from segtopic.topics.counts import occurrences
from segtopic.topics.definitions import direction
from segtopic.topics.followers import followers
from segtopic.topics.naming import topic_names
from segtopic.topics.phrases import NO_WORD, log_odds_of_one_phrase
from segtopic.topics.shares import topic_shares

MOST_CANDIDATES = 2000  # phrases that are looked at, the most frequent ones


@dataclass(frozen=True)
class FoundDocument:
    """A document of the run.

    Attributes:
        number: In the run's corpus.
        id: Its name.
        score: How well it fits: a similarity, or the share of the topic.
        topic: The number of its largest topic.
        topic_name: What that is called.
    """

    number: int
    id: str
    score: float
    topic: int
    topic_name: str


@dataclass(frozen=True)
class FoundTopic:
    """A topic of a text."""

    topic: int
    name: str
    share: float


@dataclass(frozen=True)
class FoundPhrase:
    """A phrase of the run's documents.

    Attributes:
        text: Its words.
        count: How often they stand side by side.
        documents: In how many documents.
        topic: The number of the topic of which these documents have most, beyond what all have.
        topic_name: What that is called.
    """

    text: str
    count: int
    documents: int
    topic: int
    topic_name: str


@dataclass(frozen=True)
class FoundFollowers:
    """What follows some words in documents of a topic.

    Attributes:
        topic: The topic's number.
        topic_name: What it is called.
        begins: How probable the words are there as the beginning of a phrase.
        goes_on: How probable it is that the phrase goes on after them.
        words: What follows then, the most probable first.
        shares: Of each, among all words that may follow.
    """

    topic: int
    topic_name: str
    begins: float
    goes_on: float
    words: tuple[str, ...]
    shares: tuple[float, ...]


class Finder:
    """Answers questions about the documents of a run.

    Args:
        trained: a run with its documents.
    """

    def __init__(self, trained: TrainedModel) -> None:
        self._trained = trained
        self._view = trained.view

    def like(self, document_id: str, n: int = 10) -> list[FoundDocument]:
        """The documents that are most like the one with this id, without itself."""
        ids = self._trained.corpus.ids
        if document_id not in ids:
            near = did_you_mean(document_id, ids) if len(ids) <= 10_000 else ""
            near = near if "did you mean" in near else ""
            raise ConfigError(
                f"the run has no document '{document_id}'{near}"
                + ("" if near else "; 'segtopic apply' lists them all")
            )
        number = ids.index(document_id)
        scores = self._similarities(self._shares[number], self._weighted[[number]])
        scores[number] = -np.inf
        return self._best(scores, min(n, len(ids) - 1))

    def like_text(self, text: str, n: int = 10) -> list[FoundDocument]:
        """The documents that are most like a text."""
        shares = self._view.seen(Segmenter.of(self._trained).topics([text])[0])
        documents = self._trained.encoder.encode([text]).documents
        return self._best(self._similarities(shares, self._weigh(documents)), n)

    def topics(self, text: str, n: int | None = None) -> list[FoundTopic]:
        """The topics of a text, the largest first."""
        shares = self._view.seen(Segmenter.of(self._trained).topics([text])[0])
        order = np.argsort(-shares, kind="stable")[:n].tolist()
        return [
            FoundTopic(self._view.numbers[place], self.names[place], float(shares[place]))
            for place in order
        ]

    def of_topic(self, topic: int | str, n: int = 10) -> list[FoundDocument]:
        """The documents with the largest shares of a topic, given by its number or its name."""
        return self._best(self._shares[:, self._column(topic)], n)

    def phrases(self, part: str, n: int = 20) -> list[FoundPhrase]:
        """Phrases of the documents with these letters in them, the most frequent first.

        Words side by side are a phrase if the model takes them for one rather than for two.
        """
        wanted = " ".join(part.split()).casefold()
        if not wanted:
            raise ConfigError("there are no letters to look for; give some")
        candidates = self._containing(wanted)
        theta = torch.from_numpy(self._theta.mean(0)).to(self._trained.model.topics.weight.dtype)
        with torch.no_grad():
            odds = log_odds_of_one_phrase(self._trained.model, theta, candidates).numpy()
        return [self._found(phrase) for phrase in candidates[odds > 0][:n]]

    def after(self, words: str, n: int = 10, n_words: int = 5) -> list[FoundFollowers]:
        """What follows some words by topic, for the topics that have the words most often."""
        model, vocabulary = self._trained.model, self._trained.vocabulary
        numbers = {word: number for number, word in enumerate(vocabulary.words)}
        written = words.casefold().split()
        unknown = [word for word in written if word not in numbers]
        if unknown:
            raise ConfigError(f"the run does not know the word '{unknown[0]}'")
        longest = model.scorer.max_length
        if not 0 < len(written) < longest:
            raise ConfigError(
                f"phrases of this run have at most {longest} words, so something can follow 1 to "
                f"{longest - 1} of them; '{words}' has {len(written)}"
                if longest > 1
                else "phrases of this run have one word; nothing follows it"
            )
        beginning = np.array([numbers[word] for word in written])
        theta = torch.from_numpy(self._theta).to(model.topics.weight.dtype)
        vectors = self._view.mixtures(theta) @ direction(theta)
        found = [followers(model, vector, beginning, n_words) for vector in vectors]
        order = sorted(range(len(found)), key=lambda place: -found[place].begins)
        return [
            FoundFollowers(
                self._view.numbers[place],
                self.names[place],
                found[place].begins,
                found[place].goes_on,
                tuple(vocabulary.words[word] for word in found[place].words),
                found[place].shares,
            )
            for place in order[:n]
        ]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the topics, in the order of the view."""
        return topic_names(self._trained)

    @cached_property
    def _theta(self) -> FloatArray:
        theta: FloatArray = topic_shares(self._trained.model, self._documents).double().numpy()
        return theta

    @cached_property
    def _shares(self) -> FloatArray:
        shares: FloatArray = self._view.shares(torch.from_numpy(self._theta)).numpy()
        return shares

    @property
    def _documents(self) -> Documents:
        return self._trained.corpus.documents

    @cached_property
    def _weighted(self) -> sparse.csr_array:
        return self._weigh(self._documents)

    def _weigh(self, documents: Documents) -> sparse.csr_array:
        """``(D, V)`` rows of tf-idf with length one; of documents without words, of length zero."""
        vocabulary = self._trained.vocabulary
        counts = documents.bag_of_words(len(vocabulary)).astype(np.float64)
        rarity = np.log((1 + len(self._trained.corpus)) / (1 + vocabulary.document_counts)) + 1
        weighted = counts.multiply(rarity[None]).tocsr()
        lengths = np.sqrt(weighted.power(2).sum(1))
        return sparse.csr_array(weighted.multiply(1 / np.maximum(lengths, 1e-12)[:, None]))

    def _similarities(self, shares: FloatArray, weighted: sparse.csr_array) -> FloatArray:
        by_topics = np.sqrt(self._shares * shares).sum(1)
        by_words = (self._weighted @ weighted.T).toarray()[:, 0]
        similar: FloatArray = (by_topics + by_words) / 2
        return similar

    def _best(self, scores: FloatArray, n: int) -> list[FoundDocument]:
        order = np.argsort(-scores, kind="stable")[:n].tolist()
        largest = self._shares.argmax(1)
        return [
            FoundDocument(
                number=number,
                id=self._trained.corpus.ids[number],
                score=float(scores[number]),
                topic=self._view.numbers[largest[number]],
                topic_name=self.names[largest[number]],
            )
            for number in order
        ]

    def _column(self, topic: int | str) -> int:
        numbers = [str(number) for number in self._view.numbers]
        written = str(topic).strip()
        if written in numbers:
            return numbers.index(written)
        folded = [name.casefold() for name in self.names]
        if written.casefold() in folded:
            return folded.index(written.casefold())
        raise ConfigError(f"there is no topic '{written}'{did_you_mean(written, self.names)}")

    def _containing(self, wanted: str) -> IntArray:
        """``(M, L)`` different runs of words of a span with these letters, most frequent first."""
        documents, longest = self._documents, self._trained.model.scorer.max_length
        words = [word.casefold() for word in self._trained.vocabulary.words]
        # The letters stand in one word, or begin at the end of a word.
        head, _, rest = wanted.partition(" ")
        may_hold = np.array([word.endswith(head) if rest else head in word for word in words])
        left = documents.words_left
        found: list[IntArray] = [np.zeros((0, longest), dtype=np.int64)]
        counts = [np.zeros(0, dtype=np.int64)]
        for length in range(1, longest + 1):
            starts = np.flatnonzero(left >= length)
            windows = documents.words[starts[:, None] + np.arange(length)]
            windows = windows[may_hold[windows].any(1)]
            distinct, times = np.unique(windows, axis=0, return_counts=True)
            order = np.argsort(-times, kind="stable")
            texts = (" ".join(words[word] for word in row) for row in distinct[order])
            holds = np.array([wanted in text for text in texts], dtype=bool)
            chosen = order[holds][:MOST_CANDIDATES]
            padding = ((0, 0), (0, longest - length))
            found.append(np.pad(distinct[chosen], padding, constant_values=NO_WORD))
            counts.append(times[chosen])
        order = np.argsort(-np.concatenate(counts), kind="stable")[:MOST_CANDIDATES]
        return np.concatenate(found)[order]

    def _found(self, phrase: IntArray) -> FoundPhrase:
        places = occurrences(self._documents, phrase[None]).place
        holding = np.unique(np.searchsorted(self._documents.word_offsets, places, side="right") - 1)
        topic = int((self._shares[holding].mean(0) / self._shares.mean(0)).argmax())
        return FoundPhrase(
            text=" ".join(self._trained.vocabulary.words[w] for w in phrase if w != NO_WORD),
            count=len(places),
            documents=len(holding),
            topic=self._view.numbers[topic],
            topic_name=self.names[topic],
        )
