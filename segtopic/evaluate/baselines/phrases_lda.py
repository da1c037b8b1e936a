"""LDA over merged phrases: what people do today. Two passes of gensim ``Phrases``, then an LDA.

The likelihood of the merged tokens is divided among the original words, so that the figure stands
beside those of models of words: the log probability of a merged token is written at its first word,
its other words get 0. This favours the baseline: its distribution is over tokens, and where a token
ends is given to it for free, while a model of words and boundaries has to pay for both.

A phrase that the training tokens do not hold is read as its words: ``Phrases`` merges greedily, so
a pair may pass its threshold and still never come out of it.

>>> train = Documents.from_lists([[[0, 1]] * 30 + [[2], [3], [4]] * 30])
>>> merged = PhraseMerger.learn(train, vocabulary_size=5, threshold=0.1, min_count=5)
>>> merged.phrases
((0, 1),)
>>> merged.merge(Documents.from_lists([[[0, 1, 2], [1, 0]]])).to_lists()
[[[5, 2], [1, 0]]]
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from segtopic.corpus.documents import Documents, IntArray
from segtopic.evaluate.baselines.lda import Lda
from segtopic.evaluate.heldout import FloatArray, HeldOut

if TYPE_CHECKING:  # slow to import
    from gensim.models.phrases import FrozenPhrases

_DELIMITER = "_"
Span = list[str]


@dataclass(frozen=True)
class PhraseMerger:
    """Turns documents of words into documents of tokens.

    Token ``w < V`` is the word ``w``; token ``V + i`` is ``phrases[i]``.
    """

    vocabulary_size: int
    passes: "tuple[FrozenPhrases, ...]"
    phrases: tuple[tuple[int, ...], ...]

    @classmethod
    def learn(
        cls,
        train: Documents,
        vocabulary_size: int,
        threshold: float = 10.0,
        min_count: int = 5,
        passes: int = 2,
        scoring: str = "default",
    ) -> "PhraseMerger":
        """Learn pairs from the training spans, then pairs of what was merged, and so on."""
        from gensim.models.phrases import Phrases  # slow to import

        spans = spans_of(train)
        frozen = []
        for _ in range(passes):
            pairs = Phrases(
                spans,
                min_count=min_count,
                threshold=threshold,
                delimiter=_DELIMITER,
                scoring=scoring,
            ).freeze()
            spans = [pairs[span] for span in spans]
            frozen.append(pairs)
        merged = {token for span in spans for token in span if _DELIMITER in token}
        phrases = sorted(tuple(int(w) for w in token.split(_DELIMITER)) for token in merged)
        return cls(vocabulary_size, tuple(frozen), tuple(phrases))

    @property
    def n_tokens(self) -> int:
        return self.vocabulary_size + len(self.phrases)

    @cached_property
    def words_per_token(self) -> IntArray:
        """``(n_tokens,)`` how many words each token stands for."""
        lengths = [len(phrase) for phrase in self.phrases]
        return np.array([1] * self.vocabulary_size + lengths, dtype=np.int64)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        names = (_DELIMITER.join(map(str, phrase)) for phrase in self.phrases)
        return {name: self.vocabulary_size + i for i, name in enumerate(names)}

    def merge(self, documents: Documents) -> Documents:
        """The same documents and spans, of tokens."""
        tokens: list[int] = []
        lengths: list[int] = []
        for span in spans_of(documents):
            for pairs in self.passes:
                span = pairs[span]
            before = len(tokens)
            for name in span:
                tokens.extend(self._tokens_of(name))
            lengths.append(len(tokens) - before)
        return Documents(
            np.array(tokens, dtype=np.int32),
            np.array(lengths, dtype=np.int32),
            documents.spans_per_document,
        )

    def _tokens_of(self, name: str) -> Iterable[int]:
        number = self._numbers.get(name)
        return [number] if number is not None else map(int, name.split(_DELIMITER))


@dataclass(frozen=True)
class PhrasesLda:
    """An LDA over the merged tokens."""

    merger: PhraseMerger
    lda: Lda

    @classmethod
    def fit(
        cls, train: Documents, merger: PhraseMerger, fit_lda: Callable[[Documents, int], Lda]
    ) -> "PhrasesLda":
        """``fit_lda`` gets the merged documents and the number of tokens."""
        return cls(merger, fit_lda(merger.merge(train), merger.n_tokens))

    def word_log_probabilities(self, held_out: HeldOut) -> FloatArray:
        """``(N,)`` per original word; what the module says of merged ones."""
        tokens = HeldOut(self.merger.merge(held_out.observed), self.merger.merge(held_out.scored))
        lengths = self.merger.words_per_token[tokens.scored.words]
        log_probabilities = np.zeros(held_out.scored.n_words)
        log_probabilities[np.cumsum(lengths) - lengths] = self.lda.word_log_probabilities(tokens)
        return log_probabilities


def spans_of(documents: Documents) -> list[Span]:
    """Every span as the words' numbers in writing, as ``Phrases`` wants them."""
    words = [str(word) for word in documents.words.tolist()]
    ends = np.cumsum(documents.span_lengths, dtype=np.int64)
    starts = ends - documents.span_lengths
    return [words[begin:end] for begin, end in zip(starts.tolist(), ends.tolist(), strict=True)]
