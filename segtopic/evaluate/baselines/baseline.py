"""What every baseline offers: held-out documents in, a log probability for each scored word out."""

from typing import Protocol

from segtopic.evaluate.heldout import DocumentScores, FloatArray, HeldOut


class Baseline(Protocol):
    """A fitted model of held-out words."""

    def word_log_probabilities(self, held_out: HeldOut) -> FloatArray:
        """``(N,)`` log probability of each scored word, in nats, given what is observed."""


def score(baseline: Baseline, held_out: HeldOut) -> DocumentScores:
    """The log likelihood of each document's scored words."""
    return held_out.scores(baseline.word_log_probabilities(held_out))


def continuation_log_likelihood(baseline: Baseline, held_out: HeldOut) -> float:
    """Mean log probability of the scored words with a neighbour before them in their span."""
    words = baseline.word_log_probabilities(held_out)
    return held_out.scores(words, held_out.continues).per_word
