"""Where spans end: a model and its training documents in, the chance that a span goes on out.

A model whose ends are certain at the end of a span says what follows *if the span goes on*. It
need not know that the text hardly ever goes on after "vs loss", because a number follows, which is
no word. Whoever counts phrases in the text sees both. So the chance that the span goes on is
counted: with ``n(h)`` segments begun by the words ``h``, of which ``m(h)`` stood in a span with a
further word, and ``h'`` for ``h`` without its first word,

    goes_on(h) = (m(h) + strength goes_on(h')) / (n(h) + strength),

and over the empty history the share of all words that another one follows. Segments are not
observed: each place counts by the posterior probability that a segment begins there and has the
words, the document's own counts left out as in training. Of a large corpus some documents, evenly
spread, are looked at: what is rare is smoothed, and what is frequent is frequent among them, too.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.sequences import distinct_sequences
from segtopic.lattice import segment_posteriors
from segtopic.model import packed_batches
from segtopic.model.inference import encoder_mean
from segtopic.model.lookup import at, find
from segtopic.model.packing import TrieLevel
from segtopic.model.topic_model import TopicModel
from segtopic.segment.segmented import FloatArray

# On AP's development part 2 has the smallest log loss after two words, and 0.001 nats more than 4
# has after one; 0.5 and 8 are worse after both.
STRENGTH = 2.0
MOST_WORDS = 400_000  # that are looked at; AP's training part has 350,000


class _Histories(NamedTuple):
    """The distinct beginnings of segments of one length."""

    keys: IntArray  # (P,) number of the words before * V + last word, sorted
    begun: FloatArray  # (P,) n(h)
    going_on: FloatArray  # (P,) m(h)


class Chances(NamedTuple):
    """Of the nodes of a trie."""

    goes_on: Tensor  # (P,) that the span goes on after the node's words
    reached: Tensor  # (P,) that it has so many words, given its first one


class SpanEnds:
    """How often spans go on after the words that begin a segment."""

    def __init__(
        self, histories: Sequence[_Histories], on_average: float, vocabulary_size: int
    ) -> None:
        self._histories = histories
        self._on_average = torch.tensor(on_average, dtype=torch.float64)
        self._vocabulary_size = vocabulary_size

    @classmethod
    def count(
        cls, documents: Documents, segments: FloatArray | IntArray, vocabulary_size: int
    ) -> "SpanEnds":
        """Count ``(N, L)`` segments: the weight of that of ``l`` words at every word."""
        longest = segments.shape[1]
        # At each word, the weight of the segments that have so many words or more.
        reached = np.cumsum(segments[:, ::-1], axis=1)[:, ::-1]
        left = documents.words_left
        histories = []
        roots = np.zeros(documents.n_words, dtype=np.int64)
        sequences = distinct_sequences(documents, roots, vocabulary_size, 1, longest)
        for length, level in enumerate(sequences, start=1):
            weight = reached[level.starts, length - 1]
            size = len(level.word)
            goes_on = weight * (left[level.starts] > length)
            begun, going_on = (
                np.bincount(level.at_starts, each, minlength=size).astype(np.float64)
                for each in (weight, goes_on)
            )
            keys = level.parent * vocabulary_size + level.word
            histories.append(_Histories(keys, begun, going_on))
        on_average = float((left > 1).mean()) if len(left) else 0.5
        return cls(histories, on_average, vocabulary_size)

    def chances(self, levels: Sequence[TrieLevel]) -> Chances:
        """For the nodes of all levels of a batch, one level after the other."""
        nothing = torch.zeros(0, dtype=torch.float64)
        goes_on, reached = [nothing], [nothing]
        number = torch.zeros(0, dtype=torch.long)  # of the words of each node of the level above
        for depth, level in enumerate(levels):
            above, shorter = torch.zeros_like(level.word), self._on_average
            arrives = torch.ones(len(level.word), dtype=torch.float64)
            if depth:
                above, shorter = number[level.parent], goes_on[-1][level.suffix]
                arrives = (reached[-1] * goes_on[-1])[level.parent]
            histories = self._histories[depth]
            # Words before that never stood together make a key below zero, which is not found.
            number = find(histories.keys, above * self._vocabulary_size + level.word)
            begun, going_on = at(histories.begun, number), at(histories.going_on, number)
            goes_on.append((going_on + STRENGTH * shorter) / (begun + STRENGTH))
            reached.append(arrives)
        return Chances(torch.cat(goes_on), torch.cat(reached))


def learn_span_ends(model: TopicModel, documents: Documents) -> SpanEnds | None:
    """From the documents that a model was trained on; None if it learned itself where they end.

    With a charged last step the end of a span is predicted like every end of a segment.
    """
    if model.scorer.last_step == "charged":
        return None
    some = documents.select(documents.evenly_spread(MOST_WORDS))
    return SpanEnds.count(some, _posteriors(model, some), model.scorer.vocabulary_size)


@torch.no_grad()
def _posteriors(model: TopicModel, documents: Documents) -> FloatArray:
    """``(N, L)`` probabilities of all segments."""
    parts = [np.zeros((0, model.scorer.max_length))]
    for batch in packed_batches(documents, model.scorer.max_length):
        latent = encoder_mean(model, batch)
        scores = model.scores(latent, batch, batch.earlier, leave_out=True)
        parts.append(segment_posteriors(scores.double(), batch.spans).numpy())
    return np.concatenate(parts)
