"""Log probabilities of a few words out of a large vocabulary, without all the logits at once.

``log_softmax_at(hidden, weight, bias, row, word)[p]`` is the log probability of ``word[p]`` in
``softmax(hidden[row[p]] @ weight.T + bias)``. The ``(rows, vocabulary)`` logits are made in tiles
that stay in cache. For the backward pass a fixed number of tiles is kept and the others are made
again, so memory does not grow with rows times vocabulary.

The bias, and in the backward pass the largest logit of the row, are further columns of the matrix
product: ``[hidden, 1, -top] @ [weight, bias, 1].T`` costs 1 % more arithmetic and saves two
passes over every tile.
"""

import math
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

TILE_ELEMENTS = 1 << 22  # of logits: measured best from 100 to 1,000 rows at V = 10,000
SMALLEST_TILE = 64  # rows; fewer make slow matrix products
KEPT_ELEMENTS = (
    1 << 25
)  # 128 MB in float32: at V = 10,000 all that a batch of 32 AP documents needs


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


def _tiles(row: Tensor, n_rows: int, vocabulary: int) -> list[tuple[slice, slice]]:
    """Slices of rows, all of about one height, and of the pairs (sorted) that ask for them."""
    most_rows = max(TILE_ELEMENTS // vocabulary, SMALLEST_TILE)
    n_tiles = max(math.ceil(n_rows / most_rows), 1)
    begins = torch.arange(n_tiles + 1, device=row.device) * n_rows // n_tiles
    pairs = torch.searchsorted(row, begins)
    return [
        (slice(*some_rows), slice(*some_pairs))
        for some_rows, some_pairs in zip(
            pairwise(begins.tolist()), pairwise(pairs.tolist()), strict=True
        )
    ]


class _LogSoftmaxAt(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, row: Tensor, word: Tensor
    ) -> Tensor:
        order = row.argsort(stable=True)
        row, word = row[order], word[order]
        picked = hidden.new_empty(len(row))
        top, total = hidden.new_empty(2, len(hidden), 1)
        with_one = F.pad(hidden, (0, 1), value=1.0)
        with_bias = torch.cat([weight, bias[:, None]], dim=1)
        kept: list[Tensor] = []
        may_keep = KEPT_ELEMENTS if any(ctx.needs_input_grad) else 0
        for rows, pairs in _tiles(row, len(hidden), len(weight)):
            logits = with_one[rows] @ with_bias.t()
            picked[pairs] = logits[row[pairs] - rows.start, word[pairs]]
            torch.amax(logits, 1, keepdim=True, out=top[rows])
            exponentials = logits.sub_(top[rows]).exp_()
            torch.sum(exponentials, 1, keepdim=True, out=total[rows])
            may_keep -= logits.numel()
            if may_keep >= 0:
                kept.append(exponentials)
        ctx.save_for_backward(hidden, weight, bias, row, word, order, top, total, *kept)
        result = torch.empty_like(picked)
        result[order] = picked - (top + total.log()).squeeze(1)[row]
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
        hidden, weight, bias, row, word, order, top, total, *kept = ctx.saved_tensors
        gradient = gradient[order]
        scale = -hidden.new_zeros(len(hidden)).index_add(0, row, gradient)[:, None] / total
        with_one = F.pad(hidden, (0, 1), value=1.0)
        left = torch.cat([with_one, -top], dim=1)
        right = torch.cat([weight, bias[:, None], torch.ones_like(bias)[:, None]], dim=1)
        d_hidden = torch.empty_like(hidden)
        learns = ctx.needs_input_grad[1] or ctx.needs_input_grad[2]  # not while refining theta
        d_weight_and_bias = weight.new_zeros(len(weight), weight.shape[1] + 1)
        for tile, (rows, pairs) in enumerate(_tiles(row, len(hidden), len(weight))):
            if tile < len(kept):
                d_logits = kept[tile] * scale[rows]
            else:
                d_logits = (left[rows] @ right.t()).exp_().mul_(scale[rows])
            places = (row[pairs] - rows.start) * len(weight) + word[pairs]
            d_logits.view(-1).scatter_add_(0, places, gradient[pairs])
            torch.mm(d_logits, weight, out=d_hidden[rows])
            if learns:
                d_weight_and_bias.addmm_(d_logits.t(), with_one[rows])
        return d_hidden, d_weight_and_bias[:, :-1], d_weight_and_bias[:, -1], None, None
