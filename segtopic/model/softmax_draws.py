"""Words drawn from a softmax over a large vocabulary: hidden values in, a word for each row out.

The exponentials of all words are made in single precision, which takes a third of the time. Where
the random number falls so near to the edge of a word that rounding may have moved the edge to its
other side, the row is drawn again in double precision. So every word is the one that double
precision draws, whatever rows are drawn beside it.
"""

import torch
from torch import Tensor
from torch.nn import functional as F

from segtopic.model.blocks import Blocks, Found, padded

ROWS = 32  # whose exponentials stay in cache
EDGE = 1e-6  # share of a row: in models of 10,000 words, edges were moved by 7e-8 at most


class SoftmaxDraws:
    """Draws from ``softmax(hidden @ weight.T + bias + scale * offset)``.

    Args:
        weight: ``(V, H)``.
        bias: ``(V,)``.
        offset: ``(G, whole blocks)`` of the rows of each group, in single precision.
        scale: of the offsets.
    """

    @torch.no_grad()
    def __init__(self, weight: Tensor, bias: Tensor, offset: Tensor, scale: float) -> None:
        self._n_words = len(bias)
        self._offset, self._scale = offset, scale
        # What fills the last block has no share. The bias is one more row of the product.
        self._weight = padded(torch.cat([weight.t(), bias[None]]))
        self._weight[-1, self._n_words :] = -torch.inf
        self._single_weight = self._weight.float()
        # Memory that is used again: new memory costs more than what is done with it.
        self._logits, self._offsets = (offset.new_empty(ROWS, offset.shape[1]) for _ in range(2))

    @torch.no_grad()
    def __call__(self, hidden: Tensor, group: Tensor, uniform: Tensor) -> Tensor:
        """``(M,)`` words, for ``(M, H)`` hidden values, ``(M,)`` groups and random numbers."""
        hidden = F.pad(hidden, (0, 1), value=1.0)
        words = torch.empty(len(hidden), dtype=torch.long)
        for begin in range(0, len(hidden), ROWS):
            rows = slice(begin, begin + ROWS)
            words[rows] = self._few(hidden[rows], group[rows], uniform[rows])
        return words

    def _few(self, hidden: Tensor, group: Tensor, uniform: Tensor) -> Tensor:
        few = slice(len(hidden))
        logits = torch.mm(hidden.float(), self._single_weight, out=self._logits[few])
        offsets = torch.index_select(self._offset, 0, group, out=self._offsets[few])
        words, margin = self._drawn(logits.add_(offsets, alpha=self._scale).exp_(), uniform)
        # Of numbers that are too large for single precision, nothing is sure.
        unsure = (~(margin > EDGE)).nonzero().flatten()
        if len(unsure):
            logits = hidden[unsure] @ self._weight
            logits += self._scale * self._offset[group[unsure]].double()
            words[unsure], _ = self._drawn(logits.softmax(1), uniform[unsure])
        return words

    def _drawn(self, weights: Tensor, uniform: Tensor) -> Found:
        return Blocks(weights, self._n_words).find(torch.arange(len(weights)), uniform)
