"""Words drawn from rows of weights: the weights of all words in, a word for each random number out.

The weights of a row are added up by blocks of words; a word is then looked for in one block only.
Rows are padded, so that all blocks are full.

>>> rows = Blocks(padded(torch.tensor([[1.0, 0.0, 3.0]])), n_words=3)
>>> rows.find(torch.tensor([0, 0]), torch.tensor([0.2, 0.3]).double()).word.tolist()
[0, 2]
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

BLOCK = 128  # words that are added up together


def padded(values: Tensor, with_value: float = 0.0) -> Tensor:
    """``(..., V)`` to ``(..., whole blocks)``."""
    return F.pad(values, (0, -values.shape[-1] % BLOCK), value=with_value)


class Found(NamedTuple):
    """Words that were drawn."""

    word: Tensor  # (M,)
    margin: Tensor  # (M,) share of its row that lies between the random number and the next word


class Blocks:
    """Rows of weights that can be drawn from.

    Args:
        weights: ``(R, whole blocks)``, none of them negative, zero after the last word.
        n_words: how many words there are.
    """

    def __init__(self, weights: Tensor, n_words: int) -> None:
        self._n_words = n_words
        self._weights = weights.view(-1, BLOCK)
        self._edges = self._weights.sum(1).double().view(len(weights), -1).cumsum(1)

    def find(self, row: Tensor, uniform: Tensor) -> Found:
        """A word of each of ``(M,)`` rows, for ``(M,)`` numbers from 0 to 1, 1 excluded."""
        edges = self._edges[row]
        total = edges[:, -1:]
        wanted = uniform[:, None] * total
        block, before = _cell(edges, wanted, torch.zeros_like(total))
        of_block = self._weights[row * edges.shape[1] + block.squeeze(1)]
        edges = before + of_block.double().cumsum(1)
        place, low = _cell(edges, wanted, before)
        margin = torch.minimum(wanted - low, edges.gather(1, place) - wanted) / total
        word = (block * BLOCK + place).clamp_(max=self._n_words - 1)
        return Found(word.squeeze(1), margin.squeeze(1))


def _cell(edges: Tensor, wanted: Tensor, first: Tensor) -> tuple[Tensor, Tensor]:
    """``(M, 1)``: between which edges a number lies, and the lower of them.

    Args:
        edges: ``(M, E)`` the upper edge of each cell.
        wanted: ``(M, 1)``.
        first: ``(M, 1)`` lower edge of the first cell.
    """
    cell = torch.searchsorted(edges, wanted, right=True).clamp_(max=edges.shape[1] - 1)
    return cell, torch.where(cell > 0, edges.gather(1, (cell - 1).clamp_(min=0)), first)
