"""Roles of words: which ones begin a phrase, stand inside it, end it. Training documents in.

Where stop words are words like any other, what predicts the next word best ("of the", "said it")
is not what a reader calls a phrase. But the known boundaries show how phrases begin and end: "the"
stands at the beginning of a span and never at its end, "market" at its end. So here a segment

    y_1 .. y_l  has the probability  first(y_1) (1 - end(y_1)) inside(y_2) .. inside(y_l) end(y_l),

and every segment pays for its end, the last one of a span too: that is where ends are learned.
Expectation maximisation over all segmentations starts from the words at the ends of spans; what it
finds is where the model's training starts from.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import Documents
from segtopic.lattice import Spans, boundary_probabilities, log_partition, segment_posteriors

ROUNDS = 12
MOST_WORDS = 2_000_000  # of the first documents; more do not change the start
UNSEEN = 0.1  # added to the expected counts of first and inside words
END_PRIOR = 1.0  # an end, and no end, are seen so often before the first word is read
# At first, words end phrases this many times as often as they end spans.
ENDS_PER_SPAN_END = 2.0


@dataclass(frozen=True)
class Roles:
    """Probabilities of all words, ``(V,)`` each, in double precision.

    Attributes:
        first: That a phrase begins with the word.
        inside: That the word comes next, given that the phrase goes on.
        end: That a phrase ends after the word.
    """

    first: Tensor
    inside: Tensor
    end: Tensor

    def scores(self, words: Tensor, max_length: int) -> Tensor:
        """``(N, L)`` log probabilities of the segments at every word, for the lattice.

        What would reach beyond the last word is filled up with the last word.
        """
        inside = self.inside.log()[words] + (-self.end).log1p()[words].roll(1)
        end = self.end.log()[words]
        last = torch.arange(len(words))
        so_far = self.first.log()[words]
        columns = [so_far + end]
        for _ in range(1, max_length):
            last = (last + 1).clamp(max=len(words) - 1)
            so_far = so_far + inside[last]
            columns.append(so_far + end[last])
        return torch.stack(columns, dim=1)


def learn_roles(
    documents: Documents, vocabulary_size: int, max_length: int, rounds: int = ROUNDS
) -> Roles:
    """Roles that make the documents probable."""
    enough = int(np.searchsorted(documents.word_offsets, MOST_WORDS, side="right"))
    documents = documents.select(np.arange(min(enough, documents.n_documents)))
    words = torch.from_numpy(documents.words.astype(np.int64))
    spans = Spans.from_lengths(torch.from_numpy(documents.span_lengths.astype(np.int64)))
    roles = _from_spans(words, spans, vocabulary_size)
    for _ in range(rounds):
        roles, _ = improve(roles, words, spans, max_length)
    return roles


def improve(roles: Roles, words: Tensor, spans: Spans, max_length: int) -> tuple[Roles, float]:
    """One round of expectation maximisation, and the log likelihood before it."""
    scores = roles.scores(words, max_length)
    posteriors = segment_posteriors(scores, spans)
    begins = posteriors.sum(1)
    ends = boundary_probabilities(posteriors, spans)
    size = len(roles.first)
    better = Roles(
        first=_distribution(words, begins, size),
        inside=_distribution(words, 1 - begins, size),
        end=_end_rates(words, ends, size),
    )
    return better, float(log_partition(scores, spans).sum())


def _from_spans(words: Tensor, spans: Spans, size: int) -> Roles:
    """As if the beginnings of spans were all beginnings, and most ends too."""
    begins, ends = torch.zeros(2, len(words), dtype=torch.float64)
    begins[spans.first_word] = 1
    ends[spans.last_word] = 1
    return Roles(
        first=_distribution(words, begins, size),
        inside=_distribution(words, 1 - begins, size),
        end=(ENDS_PER_SPAN_END * _end_rates(words, ends, size)).clamp(max=0.99),
    )


def _distribution(words: Tensor, weights: Tensor, size: int) -> Tensor:
    counts = _expected_counts(words, weights, size) + UNSEEN
    return counts / counts.sum()


def _end_rates(words: Tensor, ends: Tensor, size: int) -> Tensor:
    counts = _expected_counts(words, torch.ones_like(ends), size)
    return (_expected_counts(words, ends, size) + END_PRIOR) / (counts + 2 * END_PRIOR)


def _expected_counts(words: Tensor, weights: Tensor, size: int) -> Tensor:
    counts = torch.zeros(size, dtype=torch.float64)
    return counts.index_add_(0, words, weights.double().clamp(min=0))
