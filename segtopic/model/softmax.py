"""Log probabilities of a few words out of a large vocabulary, without all the logits at once.

``log_softmax_at(hidden, weight, bias, row, word)[p]`` is the log probability of ``word[p]`` in
``softmax(hidden[row[p]] @ weight.T + bias)``. The ``(rows, vocabulary)`` logits are made in tiles
that stay in cache. For the backward pass a fixed number of tiles is kept and the others are made
again, so memory does not grow with rows times vocabulary.

The products follow ``torch.autocast``. Only what is summed over the vocabulary is rounded: the
logits of the words that are asked for, and their gradients, are made in full precision.
"""

import math
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

TILE_ELEMENTS = 1 << 22  # of logits: measured best from 100 to 1,000 rows at V = 10,000
SMALLEST_TILE = 64  # rows; fewer make slow matrix products
LARGEST_PRODUCT = 40.0  # whose exponential, times a vocabulary, is far from overflow in float32
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
    kind = hidden.device.type
    products = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else hidden.dtype
    with torch.autocast(kind, enabled=False):
        logit = (hidden[row] * weight[word]).sum(1) + bias[word]
        small = _largest(hidden) * _largest(weight) < LARGEST_PRODUCT
        sums: Tensor = _LogSumExp.apply(hidden, weight, bias, products, small)
    return logit - sums[row]


@torch.no_grad()
def _largest(rows: Tensor) -> float:
    """The norm of the longest row: by the inequality of Cauchy and Schwarz, the product of two of
    them tells whether an exponential of a product can overflow."""
    return float(rows.norm(dim=1).amax()) if len(rows) else 0.0


def _tiles(n_rows: int, vocabulary: int) -> list[slice]:
    """Slices of rows, all of about one height."""
    most_rows = max(TILE_ELEMENTS // vocabulary, SMALLEST_TILE)
    n_tiles = math.ceil(n_rows / most_rows)
    begins = [number * n_rows // n_tiles for number in range(n_tiles + 1)] if n_tiles else []
    return [slice(*rows) for rows in pairwise(begins)]


class _LogSumExp(torch.autograd.Function):
    """``(R,)``: the logarithm of each row's sum of exponentials."""

    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, products: torch.dtype, small: bool
    ) -> Tensor:
        # Large logits would be rounded coarsely; so the largest ones are brought near zero.
        shift = bias.amax()
        shifted = (bias - shift).to(products)
        rounded, transposed = hidden.to(products), weight.t().to(products).contiguous()
        top = hidden.new_zeros(len(hidden), 1, dtype=products)
        total = hidden.new_empty(len(hidden))
        kept: list[Tensor] = []
        may_keep = KEPT_ELEMENTS if any(ctx.needs_input_grad) else 0
        for rows in _tiles(len(hidden), len(weight)):
            logits = torch.addmm(shifted, rounded[rows], transposed)
            if not small:
                torch.amax(logits, 1, keepdim=True, out=top[rows])
                logits.sub_(top[rows])
            exponentials = logits.exp_()
            total[rows] = exponentials.sum(1)
            may_keep -= logits.numel()
            if may_keep >= 0:
                kept.append(exponentials)
        ctx.save_for_backward(rounded, transposed, shifted, top, total, *kept)
        return total.log() + top.squeeze(1).to(hidden.dtype) + shift

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        rounded, transposed, shifted, top, total, *kept = ctx.saved_tensors
        width, vocabulary = transposed.shape
        scale = (gradient / total)[:, None]
        d_hidden = gradient.new_empty(len(rounded), width)
        _, learns_weight, learns_bias, *_ = ctx.needs_input_grad  # neither while refining theta
        d_transposed = gradient.new_zeros(width, vocabulary) if learns_weight else None
        d_bias = gradient.new_zeros(vocabulary) if learns_bias else None
        for tile, rows in enumerate(_tiles(len(rounded), vocabulary)):
            if tile < len(kept):
                exponentials = kept[tile]
            else:
                logits = torch.addmm(shifted, rounded[rows], transposed)
                exponentials = logits.sub_(top[rows]).exp_()
            # Whatever is done to whole rows is done to what they are multiplied with.
            d_hidden[rows] = scale[rows] * (exponentials @ transposed.t())
            if d_transposed is not None:
                scaled = (rounded[rows] * scale[rows]).to(rounded.dtype).t().contiguous()
                d_transposed += scaled @ exponentials
            if d_bias is not None:
                d_bias += (scale[rows].to(rounded.dtype).t() @ exponentials).squeeze(0)
        return d_hidden, None if d_transposed is None else d_transposed.t(), d_bias, None, None
