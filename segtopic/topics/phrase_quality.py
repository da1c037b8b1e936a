"""How well topics' phrases belong together: phrases and training documents in, figures out.

Coherence knows words; here a phrase is one. A document is read as the list of those of the judged
phrases that stand in it, wherever their words follow each other inside a span, and is one window:
gensim's NPMI and c_v then ask how often two phrases of a topic stand in the same document. Of a
topic's list only phrases are judged of which none lies inside another: "court" and "supreme court"
always stand together, and would say nothing.

Beside segtopic's phrases stand those of the usual chain, gensim's ``Phrases`` and LDA by Gibbs
sampling over what it has joined, with the same number of topics, and ranked in the same ways.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from segtopic.config import Rank
from segtopic.corpus import Vocabulary
from segtopic.corpus.documents import Documents, IntArray
from segtopic.evaluate.baselines.phrases_lda import PhraseMerger
from segtopic.evaluate.baselines.tomotopy_lda import fit_tomotopy
from segtopic.evaluate.coherence import TopicQuality, coherence_of, topic_diversity
from segtopic.topics.counts import occurrences
from segtopic.topics.describe import Topic
from segtopic.topics.phrases import NO_WORD
from segtopic.topics.quality import LDA_ETAS, FittedLda, Progress
from segtopic.topics.ranking import Words, lies_inside

N_PHRASES = 10  # that are judged of each topic
N_RANKED = 30  # among which they are looked for


def phrases_of(topics: Iterable[Topic], vocabulary: Vocabulary) -> list[list[Words]]:
    """The judged phrases of described topics."""
    numbers = {word: number for number, word in enumerate(vocabulary.words)}
    return [
        apart([tuple(numbers[word] for word in term.text.split(" ")) for term in topic.phrases])
        for topic in topics
    ]


class MergedLda(NamedTuple):
    """LDA over documents whose phrases ``Phrases`` has joined to tokens."""

    documents: Documents
    phrases: Sequence[Words]  # of each token; most have one word
    fitted: FittedLda

    def by_shares(self) -> "MergedLda":
        """As :meth:`FittedLda.by_shares`."""
        return self._replace(fitted=self.fitted.by_shares())

    def best_phrases(self, rank: Rank) -> list[list[Words]]:
        """The judged ones of each topic."""
        best = self.fitted.best_words(rank, self.documents, N_RANKED)
        return [apart([self.phrases[token] for token in row]) for row in best.tolist()]


def merged_ldas(
    documents: Documents, vocabulary_size: int, n_topics: int, progress: Progress, seed: int = 0
) -> dict[str, MergedLda]:
    """With a weak and a strong prior."""
    merger = PhraseMerger.learn(documents, vocabulary_size)
    merged = merger.merge(documents)
    phrases = [*((word,) for word in range(vocabulary_size)), *merger.phrases]
    found: dict[str, MergedLda] = {}
    for eta in LDA_ETAS:
        progress("Phrases + LDA", len(found))
        lda = fit_tomotopy(merged, merger.n_tokens, n_topics, eta, seed=seed)
        fitted = FittedLda.of(lda, merged)
        found[f"Phrases + LDA, tomotopy, eta {eta}"] = MergedLda(merged, phrases, fitted)
    return found


def apart(phrases: Sequence[Words]) -> list[Words]:
    """The first ones of which none lies inside another, best first."""
    chosen: list[Words] = []
    for phrase in phrases:
        nested = any(lies_inside(phrase, other) or lies_inside(other, phrase) for other in chosen)
        if not nested and len(chosen) < N_PHRASES:
            chosen.append(phrase)
    return chosen


def phrase_qualities(
    sets: Mapping[str, Sequence[Sequence[Words]]], train: Documents
) -> dict[str, TopicQuality]:
    """The quality of several sets of topics, by name, with one look at the training documents."""
    judged = sorted({phrase for topics in sets.values() for topic in topics for phrase in topic})
    number = {phrase: place for place, phrase in enumerate(judged)}
    texts = _texts(train, judged)
    found = {}
    for name, topics in sets.items():
        rows = [[number[phrase] for phrase in topic] for topic in topics]
        window = max(map(len, texts), default=1)
        npmi, c_v = (coherence_of(measure, rows, texts, window) for measure in ("c_npmi", "c_v"))
        found[name] = TopicQuality(npmi, c_v, topic_diversity(rows, N_PHRASES))
    return found


def _texts(documents: Documents, phrases: Sequence[Words]) -> list[list[int]]:
    """Of each document the numbers of the phrases in it, once each, after one that all have.

    So a document without any of them is a window, too.
    """
    longest = max(map(len, phrases), default=1)
    padded: IntArray = np.full((len(phrases), longest), NO_WORD, dtype=np.int64)
    for row, phrase in enumerate(phrases):
        padded[row, : len(phrase)] = phrase
    found = occurrences(documents, padded)
    document = np.searchsorted(documents.word_offsets, found.place, side="right") - 1
    pairs = np.unique(np.column_stack([document, found.phrase]), axis=0)
    ends = np.searchsorted(pairs[:, 0], np.arange(documents.n_documents + 1))
    return [[NO_WORD, *pairs[begin:end, 1].tolist()] for begin, end in pairwise(ends.tolist())]
