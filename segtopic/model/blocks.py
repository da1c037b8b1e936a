"""Words drawn from rows of weights: the weights of all words in, a word for each random number out.

The weights of a row are added up by blocks of words; a word is then looked for in one block only.
Rows are padded, so that all blocks are full.

>>> rows = Blocks(padded(torch.tensor([[1.0, 0.0, 3.0]])), n_words=3)
>>> rows.find(torch.tensor([0, 0]), torch.tensor([0.2, 0.3]).double()).tolist()
[0, 2]
"""

import torch
from torch import Tensor
from torch.nn import functional as F

BLOCK = 128  # words that are added up together


def padded(values: Tensor, with_value: float = 0.0) -> Tensor:
    """``(..., V)`` to ``(..., whole blocks)``."""
    return F.pad(values, (0, -values.shape[-1] % BLOCK), value=with_value)


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

    def find(self, row: Tensor, uniform: Tensor) -> Tensor:
        """A word of each of ``(M,)`` rows, for ``(M,)`` numbers from 0 to 1, 1 excluded."""
        edges = self._edges[row]
        wanted = uniform[:, None] * edges[:, -1:]
        block = _cell(edges, wanted)
        before = torch.where(block > 0, edges.gather(1, (block - 1).clamp_(min=0)), 0)
        of_block = self._weights[row * edges.shape[1] + block.squeeze(1)]
        place = _cell(before + of_block.double().cumsum(1), wanted)
        return (block * BLOCK + place).clamp_(max=self._n_words - 1).squeeze(1)


def _cell(edges: Tensor, wanted: Tensor) -> Tensor:
    """``(M, 1)``: below which of ``(M, E)`` edges a number lies."""
    return torch.searchsorted(edges, wanted, right=True).clamp_(max=edges.shape[1] - 1)
