"""Log probabilities of a few words out of a large vocabulary, without all the logits at once.

``log_softmax_at(hidden, weight, bias, row, word)[p]`` is the log probability of ``word[p]`` in
``softmax(hidden[row[p]] @ weight.T + bias)``. The ``(rows, vocabulary)`` logits are made in tiles
that stay in cache. For the backward pass a fixed number of tiles is kept and the others are made
again, so memory does not grow with rows times vocabulary.

Logits may have an offset that rows share, such as what a document's topics say of its words:
``offset[group[r]]`` is added to row ``r``. Bias and offset are further rows of the matrix product,
``[hidden, one at the row's group] @ [weight.T; offset + bias]``: that costs little arithmetic and
saves passes over every tile.

The products follow ``torch.autocast``. In ``bfloat16``, on processors that have it, they and all
passes over a tile take a quarter of the time. Only what is summed over the vocabulary is rounded:
the logits of the words that are asked for, and their gradients, are made in full precision.
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
        shared, group = bias[None], row.new_zeros(len(hidden))
    else:
        shared, group = offset.logits + bias, offset.group
    kind = hidden.device.type
    products = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else hidden.dtype
    with torch.autocast(kind, enabled=False):
        logit = (hidden[row] * weight[word]).sum(1) + shared[group[row], word]
        sums: Tensor = _LogSumExp.apply(hidden, weight, shared, group, products)
    return logit - sums[row]


def _tiles(n_rows: int, vocabulary: int) -> list[slice]:
    """Slices of rows, all of about one height."""
    most_rows = max(TILE_ELEMENTS // vocabulary, SMALLEST_TILE)
    n_tiles = math.ceil(n_rows / most_rows)
    begins = [number * n_rows // n_tiles for number in range(n_tiles + 1)] if n_tiles else []
    return [slice(*rows) for rows in pairwise(begins)]


class _Factors(NamedTuple):
    """Of the logits of a tile: ``left @ right``."""

    left: Tensor  # (rows, H + g)
    right: Tensor  # (H + g, V)
    groups: Tensor  # (g,) that the rows belong to


def _factors(hidden: Tensor, transposed: Tensor, shared: Tensor, group: Tensor) -> _Factors:
    groups, place = group.unique(return_inverse=True)
    chosen = F.one_hot(place, len(groups)).to(hidden.dtype)
    right = torch.cat([transposed, shared[groups].to(hidden.dtype)])
    return _Factors(torch.cat([hidden, chosen], dim=1), right, groups)


class _LogSumExp(torch.autograd.Function):
    """``(R,)``: the logarithm of each row's sum of exponentials."""

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        weight: Tensor,
        shared: Tensor,
        group: Tensor,
        products: torch.dtype,
    ) -> Tensor:
        # Large logits would be rounded coarsely; so the largest ones are brought near zero.
        shift = shared.amax(1)
        shared = shared - shift[:, None]
        rounded, transposed = hidden.to(products), weight.t().to(products).contiguous()
        top = hidden.new_empty(len(hidden), 1, dtype=products)
        total = hidden.new_empty(len(hidden))
        kept: list[Tensor] = []
        may_keep = KEPT_ELEMENTS if any(ctx.needs_input_grad) else 0
        for rows in _tiles(len(hidden), len(weight)):
            left, right, _ = _factors(rounded[rows], transposed, shared, group[rows])
            logits = left @ right
            torch.amax(logits, 1, keepdim=True, out=top[rows])
            exponentials = logits.sub_(top[rows]).exp_()
            total[rows] = exponentials.sum(1)
            may_keep -= logits.numel()
            if may_keep >= 0:
                kept.append(exponentials)
        ctx.save_for_backward(rounded, transposed, shared, group, top, total, *kept)
        return total.log() + top.squeeze(1).to(hidden.dtype) + shift[group]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        rounded, transposed, shared, group, top, total, *kept = ctx.saved_tensors
        width, vocabulary = transposed.shape
        scale = (gradient / total)[:, None].to(rounded.dtype)
        d_hidden = gradient.new_empty(len(rounded), width)
        _, learns_weight, learns_shared, *_ = ctx.needs_input_grad  # neither while refining theta
        d_transposed = gradient.new_zeros(width, vocabulary) if learns_weight else None
        d_shared = gradient.new_zeros(shared.shape) if learns_shared else None
        for tile, rows in enumerate(_tiles(len(rounded), vocabulary)):
            left, right, groups = _factors(rounded[rows], transposed, shared, group[rows])
            if tile < len(kept):
                d_logits = kept[tile] * scale[rows]
            else:
                d_logits = (left @ right).sub_(top[rows]).exp_().mul_(scale[rows])
            d_hidden[rows] = d_logits @ transposed.t()
            if d_transposed is not None:
                d_transposed += left[:, :width].t() @ d_logits
            if d_shared is not None:
                d_shared.index_add_(0, groups, (left[:, width:].t() @ d_logits).to(d_shared.dtype))
        d_weight = None if d_transposed is None else d_transposed.t()
        return d_hidden, d_weight, d_shared, None, None
