"""Log probabilities of a few words out of a large vocabulary, without ever keeping the logits.

``log_softmax_at(hidden, weight, bias, row, word)[p]`` is the log probability of ``word[p]`` in
``softmax(hidden[row[p]] @ weight.T + bias)``. The ``(rows, vocabulary)`` logits are made in tiles
that stay in cache, and made again in the backward pass, so memory does not grow with rows times
vocabulary.

The bias, and in the backward pass the normaliser, are further columns of the matrix product:
``[hidden, 1, -normaliser] @ [weight, bias, 1].T`` costs 1 % more arithmetic and saves two passes
over every tile.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

TILE_ELEMENTS = 1 << 22  # of logits: measured best from 100 to 1,000 rows at V = 10,000
SMALLEST_TILE = 64  # rows; fewer make slow matrix products


def log_softmax_at(
    hidden: Tensor, weight: Tensor, bias: Tensor, row: Tensor, word: Tensor
) -> Tensor:
    """``(P,)`` log probabilities; see the module's docstring.

    Args:
        hidden: ``(R, H)``.
        weight: ``(V, H)``.
        bias: ``(V,)``.
        row: ``(P,)`` which row of ``hidden``; a row may be asked for many words, or for none.
        word: ``(P,)``.
    """
    result: Tensor = _LogSoftmaxAt.apply(hidden, weight, bias, row, word)
    return result


def _tiles(hidden: Tensor, weight: Tensor, row: Tensor) -> Iterator[tuple[slice, slice, Tensor]]:
    """Slices of rows; of the pairs that ask for these rows, ``row`` being sorted; the logits.

    The logits stand in one buffer that is used again for the next tile.
    """
    height = max(TILE_ELEMENTS // max(len(weight), 1), SMALLEST_TILE)
    begins = torch.arange(0, len(hidden) + height, height, device=row.device)
    pairs = torch.searchsorted(row, begins).tolist()
    buffer = hidden.new_empty(min(height, len(hidden)), len(weight))
    for tile, begin in enumerate(range(0, len(hidden), height)):
        rows = slice(begin, min(begin + height, len(hidden)))
        logits = buffer[: rows.stop - rows.start]
        torch.mm(hidden[rows], weight.t(), out=logits)
        yield rows, slice(pairs[tile], pairs[tile + 1]), logits


class _LogSoftmaxAt(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, row: Tensor, word: Tensor
    ) -> Tensor:
        order = row.argsort(stable=True)
        row, word = row[order], word[order]
        picked = hidden.new_empty(len(row))
        normaliser = hidden.new_empty(len(hidden))
        with_one = torch.nn.functional.pad(hidden, (0, 1), value=1.0)
        with_bias = torch.cat([weight, bias[:, None]], dim=1)
        for rows, pairs, logits in _tiles(with_one, with_bias, row):
            picked[pairs] = logits[row[pairs] - rows.start, word[pairs]]
            top = logits.amax(1, keepdim=True)
            normaliser[rows] = logits.sub_(top).exp_().sum(1).log_().add_(top.squeeze(1))
        ctx.save_for_backward(hidden, weight, bias, row, word, order, normaliser)
        result = torch.empty_like(picked)
        result[order] = picked - normaliser[row]
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
        hidden, weight, bias, row, word, order, normaliser = ctx.saved_tensors
        gradient = gradient[order]
        row_gradient = hidden.new_zeros(len(hidden)).index_add(0, row, gradient)
        with_one = torch.nn.functional.pad(hidden, (0, 1), value=1.0)
        left = torch.cat([with_one, -normaliser[:, None]], dim=1)
        right = torch.cat([weight, bias[:, None], torch.ones_like(bias)[:, None]], dim=1)
        d_hidden = torch.empty_like(hidden)
        learns = ctx.needs_input_grad[1] or ctx.needs_input_grad[2]  # not while refining theta
        d_weight_and_bias = weight.new_zeros(len(weight), weight.shape[1] + 1)
        for rows, pairs, logits in _tiles(left, right, row):
            d_logits = logits.exp_().mul_(-row_gradient[rows, None])
            places = (row[pairs] - rows.start) * len(weight) + word[pairs]
            d_logits.view(-1).scatter_add_(0, places, gradient[pairs])
            torch.mm(d_logits, weight, out=d_hidden[rows])
            if learns:
                d_weight_and_bias.addmm_(d_logits.t(), with_one[rows])
        return d_hidden, d_weight_and_bias[:, :-1], d_weight_and_bias[:, -1], None, None
