"""Log probabilities of a few words out of a large vocabulary, without all the logits at once.

``log_softmax_at(hidden, weight, bias, row, word)[p]`` is the log probability of ``word[p]`` in
``softmax(hidden[row[p]] @ weight.T + bias)``. The ``(rows, vocabulary)`` logits are made in tiles
that stay in cache. For the backward pass a fixed number of tiles is kept and the others are made
again, so memory does not grow with rows times vocabulary.

The bias, and in the backward pass the largest logit of the row, are further columns of the matrix
product: ``[hidden, 1, -top] @ [weight, bias, 1].T`` costs 1 % more arithmetic and saves two
passes over every tile. Logits may have an offset that rows share, such as what a document's topics
say of its words: ``offset[group[r]]`` is added to row ``r`` by one more, thin, matrix product.
"""

import math
from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

TILE_ELEMENTS = 1 << 22  # of logits: measured best from 100 to 1,000 rows at V = 10,000
SMALLEST_TILE = 64  # rows; fewer make slow matrix products
KEPT_ELEMENTS = (
    1 << 25
)  # 128 MB in float32: at V = 10,000 all that a batch of 32 AP documents needs


class SharedOffset(NamedTuple):
    """What is added to the logits of rows of the same group."""

    logits: Tensor  # (G, V)
    group: Tensor  # (R,) of each row


def log_softmax_at(
    hidden: Tensor,
    weight: Tensor,
    bias: Tensor,
    row: Tensor,
    word: Tensor,
    offset: SharedOffset | None = None,
) -> Tensor:
    """``(P,)`` log probabilities; see the module's docstring.

    Args:
        hidden: ``(R, H)``.
        weight: ``(V, H)``.
        bias: ``(V,)``.
        row: ``(P,)`` which row of ``hidden``; a row may be asked for many words, or for none.
        word: ``(P,)``.
        offset: of the logits.
    """
    if offset is None:
        offset = SharedOffset(hidden.new_zeros(0, len(weight)), row[:0])
    result: Tensor = _LogSoftmaxAt.apply(hidden, weight, bias, row, word, *offset)
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


def _groups(group: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """The different groups of some rows, and ``(rows, groups)`` a one where a row is in one."""
    groups, place = group.unique(return_inverse=True)
    return groups, F.one_hot(place, len(groups)).to(dtype)


class _LogSoftmaxAt(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        weight: Tensor,
        bias: Tensor,
        row: Tensor,
        word: Tensor,
        offset: Tensor,
        group: Tensor,
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
            if len(offset):
                groups, chosen = _groups(group[rows], logits.dtype)
                logits.addmm_(chosen, offset[groups])
            picked[pairs] = logits[row[pairs] - rows.start, word[pairs]]
            torch.amax(logits, 1, keepdim=True, out=top[rows])
            exponentials = logits.sub_(top[rows]).exp_()
            torch.sum(exponentials, 1, keepdim=True, out=total[rows])
            may_keep -= logits.numel()
            if may_keep >= 0:
                kept.append(exponentials)
        ctx.save_for_backward(
            hidden, weight, bias, offset, group, row, word, order, top, total, *kept
        )
        result = torch.empty_like(picked)
        result[order] = picked - (top + total.log()).squeeze(1)[row]
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        hidden, weight, bias, offset, group, row, word, order, top, total, *kept = ctx.saved_tensors
        gradient = gradient[order]
        scale = -hidden.new_zeros(len(hidden)).index_add(0, row, gradient)[:, None] / total
        with_one = F.pad(hidden, (0, 1), value=1.0)
        left = torch.cat([with_one, -top], dim=1)
        right = torch.cat([weight, bias[:, None], torch.ones_like(bias)[:, None]], dim=1)
        d_hidden = torch.empty_like(hidden)
        learns = ctx.needs_input_grad[1] or ctx.needs_input_grad[2]  # not while refining theta
        d_weight_and_bias = weight.new_zeros(len(weight), weight.shape[1] + 1)
        d_offset = torch.zeros_like(offset) if ctx.needs_input_grad[5] else None
        for tile, (rows, pairs) in enumerate(_tiles(row, len(hidden), len(weight))):
            if len(offset):
                groups, chosen = _groups(group[rows], hidden.dtype)
            if tile < len(kept):
                d_logits = kept[tile] * scale[rows]
            else:
                d_logits = left[rows] @ right.t()
                if len(offset):
                    d_logits.addmm_(chosen, offset[groups])
                d_logits.exp_().mul_(scale[rows])
            places = (row[pairs] - rows.start) * len(weight) + word[pairs]
            d_logits.view(-1).scatter_add_(0, places, gradient[pairs])
            torch.mm(d_logits, weight, out=d_hidden[rows])
            if learns:
                d_weight_and_bias.addmm_(d_logits.t(), with_one[rows])
            if d_offset is not None and len(offset):
                d_offset.index_add_(0, groups, chosen.t() @ d_logits)
        d_weight, d_bias = d_weight_and_bias[:, :-1], d_weight_and_bias[:, -1]
        return d_hidden, d_weight, d_bias, None, None, d_offset, None
