"""Ways to cut text that need no model of it: training documents in, segmentations out.

All of them see the words and spans of the training documents that the model was trained on, and
answer with ``segment_ends``, ``(N,)``: true where a segment ends after the word.
"""

from dataclasses import dataclass

import numpy as np
from nltk.collocations import BigramAssocMeasures, BigramCollocationFinder

from segtopic.corpus.documents import Documents
from segtopic.evaluate.baselines.counts import SequenceCounts
from segtopic.evaluate.baselines.phrases_lda import PhraseMerger, spans_of
from segtopic.evaluate.heldout import BoolArray


def single_words(documents: Documents) -> BoolArray:
    """Every word alone."""
    return np.ones(documents.n_words, dtype=bool)


def random_lengths(documents: Documents, longest: int, seed: int) -> BoolArray:
    """Segments of 1 to ``longest`` words, all lengths as probable."""
    generator = np.random.default_rng(seed)
    segment_ends = np.zeros(documents.n_words, dtype=bool)
    # A cut after every length drawn; whatever is drawn beyond the last word is not used.
    drawn = generator.integers(1, longest + 1, size=documents.n_words)
    ends = np.cumsum(drawn) - 1
    segment_ends[ends[ends < documents.n_words]] = True
    segment_ends[np.cumsum(documents.span_lengths) - 1] = True
    return segment_ends


@dataclass(frozen=True)
class GensimPhrases:
    """Two passes of gensim's ``Phrases``."""

    merger: PhraseMerger

    @classmethod
    def learn(cls, train: Documents, vocabulary_size: int, threshold: float) -> "GensimPhrases":
        """Learn pairs, then pairs of pairs."""
        return cls(PhraseMerger.learn(train, vocabulary_size, threshold))

    def __call__(self, documents: Documents) -> BoolArray:
        """Where merged tokens end."""
        lengths = self.merger.words_per_token[self.merger.merge(documents).words]
        segment_ends = np.zeros(documents.n_words, dtype=bool)
        segment_ends[np.cumsum(lengths) - 1] = True
        return segment_ends


@dataclass(frozen=True)
class Collocations:
    """Pairs by NLTK's pointwise mutual information; overlapping pairs become longer phrases."""

    pairs: SequenceCounts

    @classmethod
    def learn(
        cls, train: Documents, vocabulary_size: int, threshold: float, min_count: int = 5
    ) -> "Collocations":
        """Keep the pairs whose information, in bits, is at least the threshold."""
        finder = BigramCollocationFinder.from_documents(spans_of(train))
        finder.apply_freq_filter(min_count)
        scored = finder.score_ngrams(BigramAssocMeasures.pmi)
        kept = [[int(a), int(b)] for (a, b), value in scored if value >= threshold]
        pairs = Documents.from_lists([kept])
        return cls(SequenceCounts.of(pairs, vocabulary_size, longest=2))

    def __call__(self, documents: Documents) -> BoolArray:
        """A cut between every two words that are no collocation."""
        _, pairs = self.pairs.look_up(documents)
        joined = pairs.same > 0
        return np.append(~joined[1:], True) if documents.n_words else joined
