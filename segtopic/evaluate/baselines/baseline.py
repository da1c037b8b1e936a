"""What every baseline offers: held-out documents in, a log probability for each scored word out."""

from typing import Protocol

from segtopic.corpus.documents import Documents
from segtopic.evaluate.heldout import DocumentScores, FloatArray, HeldOut

AT_ONCE = 1 << 18  # words of documents that are looked at together


class Baseline(Protocol):
    """A fitted model of held-out words."""

    def word_log_probabilities(self, held_out: HeldOut) -> FloatArray:
        """``(N,)`` log probability of each scored word, in nats, given what is observed."""


def score(baseline: Baseline, held_out: HeldOut) -> DocumentScores:
    """The log likelihood of each document's scored words."""
    return held_out.scores(baseline.word_log_probabilities(held_out))


def continuation_log_likelihood(baseline: Baseline, documents: Documents) -> float | None:
    """Mean log probability of the scored words with a neighbour before them in their span.

    ``None`` if there is none. Some documents are looked at at a time.
    """
    total, n_words = 0.0, 0
    for some in documents.chunks(AT_ONCE):
        held_out = HeldOut.of(some)
        words = baseline.word_log_probabilities(held_out)
        found = held_out.scores(words, held_out.continues)
        total += float(found.log_likelihood.sum())
        n_words += int(found.words.sum())
    return total / n_words if n_words else None
