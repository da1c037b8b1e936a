"""How well the words of a topic belong together: topics' words and training texts in, figures out.

Words are numbers of the vocabulary, as everywhere; gensim, which computes the coherence, gets them
in writing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from segtopic.corpus.documents import Documents, IntArray
from segtopic.evaluate.heldout import FloatArray

Topics = IntArray | Sequence[Sequence[int]]


@dataclass(frozen=True)
class TopicQuality:
    """Coherence and diversity of a set of topics.

    Attributes:
        npmi: ``(K,)`` mean normalised pointwise mutual information of the topic's pairs of words
            in windows of 10 words: from -1, never together, to 1, always.
        c_v: ``(K,)`` the c_v measure (Röder et al. 2015) over windows of 110 words, from 0 to 1.
        diversity: Share of distinct words among the top words of all topics.
    """

    npmi: FloatArray
    c_v: FloatArray
    diversity: float

    @property
    def mean_npmi(self) -> float:
        return float(self.npmi.mean())

    @property
    def mean_c_v(self) -> float:
        return float(self.c_v.mean())


def topic_quality(top_words: Topics, train: Documents, n_words: int = 10) -> TopicQuality:
    """Coherence of the first ``n_words`` of every topic over the training documents.

    A word that the training documents do not hold is together with nothing: it is left out of its
    topic, and a topic with fewer than two words left has coherence 0.
    """
    topics = [[int(word) for word in topic[:n_words]] for topic in top_words]
    if not topics or not all(topics):
        raise ValueError("every topic needs at least one word")
    return TopicQuality(
        npmi=_coherence("c_npmi", topics, train),
        c_v=_coherence("c_v", topics, train),
        diversity=topic_diversity(topics, n_words),
    )


def topic_qualities(
    sets: Mapping[str, Topics], train: Documents, n_words: int = 10
) -> dict[str, TopicQuality]:
    """The quality of several sets of topics, by name, with one look at the training documents."""
    together = topic_quality(
        [topic for topics in sets.values() for topic in topics], train, n_words
    )
    found, begin = {}, 0
    for name, topics in sets.items():
        own = slice(begin, begin + len(topics))
        diversity = topic_diversity(topics, n_words)
        found[name] = TopicQuality(together.npmi[own], together.c_v[own], diversity)
        begin += len(topics)
    return found


def topic_diversity(top_words: Topics, n_words: int = 25) -> float:
    """Share of distinct words in the first ``n_words`` of all topics; 1 if no word comes twice."""
    words = [int(word) for topic in top_words for word in topic[:n_words]]
    return len(set(words)) / len(words)


def _coherence(measure: str, topics: Sequence[Sequence[int]], train: Documents) -> FloatArray:
    words, offsets = train.words.tolist(), train.word_offsets.tolist()
    return coherence_of(measure, topics, [words[b:e] for b, e in pairwise(offsets)])


def coherence_of(
    measure: str,
    topics: Sequence[Sequence[int]],
    texts: Sequence[Sequence[int]],
    window: int | None = None,
) -> FloatArray:
    """``(K,)`` gensim's measure of topics over texts, both of numbers.

    Args:
        measure: gensim's name of it.
        topics: words of each; those that no text holds are left out.
        texts: empty ones are left out.
        window: in words; what is usual for the measure if not given.
    """
    seen = {word for text in texts for word in text}
    written = [[str(word) for word in topic if word in seen] for topic in topics]
    judged = [topic for topic, words in enumerate(written) if len(words) > 1]
    coherence = np.zeros(len(topics))
    if judged:
        from gensim.corpora import Dictionary  # slow to import
        from gensim.models import CoherenceModel

        in_writing = [[str(word) for word in text] for text in texts if text]
        model = CoherenceModel(
            topics=[written[topic] for topic in judged],
            texts=in_writing,
            dictionary=Dictionary(in_writing),
            window_size=window,
            coherence=measure,
            topn=max(len(written[topic]) for topic in judged),
            # One process: starting others copies the texts and costs more than it saves.
            processes=1,
        )
        coherence[judged] = model.get_coherence_per_topic()
    return coherence
