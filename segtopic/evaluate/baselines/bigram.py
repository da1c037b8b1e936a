"""A bigram that backs off to another model: counts of neighbours and a base model in, words out.

Inside a span, after the word ``v``,

    p(w | v, d) = (c(v, w) + mu p_base(w | d)) / (c(v) + mu),    c(v) = sum over w of c(v, w),

and ``p_base(w | d)`` at a span's start. Over the unigram it is the smoothed bigram that training
logs beside its own figures. With ``mu`` to infinity it is the base.
"""

from dataclasses import dataclass

from segtopic.corpus.documents import Documents
from segtopic.evaluate.baselines.baseline import Baseline, continuation_log_likelihood
from segtopic.evaluate.baselines.counts import SequenceCounts
from segtopic.evaluate.baselines.pitman_yor import Trust, interpolated
from segtopic.evaluate.baselines.unigram import Unigram
from segtopic.evaluate.heldout import FloatArray, HeldOut


@dataclass(frozen=True)
class BackoffBigram:
    """Counts of neighbours over a base model."""

    base: Baseline
    counts: SequenceCounts
    mu: float

    @classmethod
    def fit(
        cls, train: Documents, vocabulary_size: int, mu: float = 50.0, smoothing: float = 1.0
    ) -> "BackoffBigram":
        """The smoothed in-span bigram: backs off to the unigram."""
        base = Unigram.fit(train, vocabulary_size, smoothing)
        return cls(base, SequenceCounts.of(train, vocabulary_size, longest=2), mu)

    def word_log_probabilities(self, held_out: HeldOut) -> FloatArray:
        """See :class:`segtopic.evaluate.baselines.baseline.Baseline`."""
        base = self.base.word_log_probabilities(held_out)
        _, bigrams = self.counts.look_up(held_out.scored)
        return interpolated(base, bigrams, Trust(self.mu))


def bigram_continuation(
    train: Documents, held_out: Documents, vocabulary_size: int
) -> float | None:
    """The smoothed bigram's log likelihood per continuation word; ``None`` if there is none."""
    return continuation_log_likelihood(BackoffBigram.fit(train, vocabulary_size), held_out)
