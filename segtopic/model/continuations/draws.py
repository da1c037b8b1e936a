"""Next words drawn at random: histories of segments in, for each a word or the end out.

Every continuation can be drawn from, because it can be asked for the probability of every word
(:class:`FromAllWords`). That takes the whole vocabulary for every word drawn. A continuation that
is a mixture can first draw which part of it goes on, and look only there.
"""

from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import Documents
from segtopic.model.blocks import Blocks, padded
from segtopic.model.packing import pack

if TYPE_CHECKING:
    from segtopic.model.continuations.protocol import Context, Continuation

END = -1  # in place of a word
UNIFORMS = 3  # random numbers for each next word
DENSE_ELEMENTS = 1 << 20  # words after histories that are looked at together


class Draws(Protocol):
    """Draws what follows histories of some documents."""

    first_words: Blocks
    """For each document, all words as first words of segments."""

    def __call__(self, document: Tensor, histories: Tensor, uniform: Tensor) -> Tensor:
        """``(M,)`` words, or :data:`END`.

        Args:
            document: ``(M,)`` of each history.
            histories: ``(M, l)`` the words of segments so far, at least one, fewer than ``L``.
            uniform: ``(M, UNIFORMS)`` independent numbers from 0 to 1, 1 excluded.
        """
        ...


class FromAllWords:
    """Asks a continuation for the probabilities of all words and of the end.

    Args:
        continuation: whose ends that cannot be otherwise are certain.
        context: of the documents.
    """

    def __init__(self, continuation: "Continuation", context: "Context") -> None:
        self._continuation, self._context = continuation, context
        with torch.no_grad():
            shares = continuation.first_word_distribution(context)
            self.first_words = Blocks(padded(shares), shares.shape[1])

    def __call__(self, document: Tensor, histories: Tensor, uniform: Tensor) -> Tensor:
        """See :class:`Draws`."""
        together = max(DENSE_ELEMENTS // self._continuation.settings.vocabulary_size, 1)
        return torch.cat(
            [
                pick(self.probabilities(*part), chosen[:, 0]) - 1
                for *part, chosen in zip(
                    document.split(together),
                    histories.split(together),
                    uniform.split(together),
                    strict=True,
                )
            ]
        )

    @torch.no_grad()
    def probabilities(self, document: Tensor, histories: Tensor) -> Tensor:
        """``(M, 1 + V)`` of the end and of all words."""
        (n_histories, length), settings = histories.shape, self._continuation.settings
        n_words = settings.vocabulary_size
        texts = np.empty((n_histories, n_words, length + 1), dtype=np.int64)
        texts[:, :, :length] = histories.numpy()[:, None]
        texts[:, :, length] = np.arange(n_words)
        documents = Documents(
            texts.reshape(-1),
            np.full(n_histories * n_words, length + 1),
            np.full(n_histories, n_words),
        )
        batch = pack(documents, settings.max_length)
        steps = self._continuation(self._context.of(document), batch.levels)
        words = steps.words[length][batch.first_nodes(length + 1)].reshape(n_histories, n_words)
        ends = steps.ends[length - 1][batch.first_nodes(length)[::n_words]]
        return torch.cat([ends[:, None], words], dim=1).exp()


def pick(weights: Tensor, uniform: Tensor) -> Tensor:
    """``(M,)``: a column of each row, drawn with its share of the row.

    >>> pick(torch.tensor([[1.0, 0.0, 3.0]] * 2), torch.tensor([0.2, 0.3])).tolist()
    [0, 2]
    """
    sums = weights.cumsum(1)
    place = torch.searchsorted(sums, uniform[:, None] * sums[:, -1:], right=True).squeeze(1)
    return place.clamp(max=weights.shape[1] - 1)
