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
the logits of the words that are asked for, and their gradients, are made in full precision. Where
nothing is learned, a model in double precision may have the sums alone in single precision.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils.weak import WeakIdKeyDictionary

TILE_ELEMENTS = 1 << 22  # of logits: measured best from 100 to 1,000 rows at V = 10,000
SMALLEST_TILE = 64  # rows; fewer make slow matrix products
TILE_ROWS = 64  # of every tile where nothing is learned
NO_GROUP = -1
LARGEST_PRODUCT = 40.0  # whose exponential, times a vocabulary, is far from overflow in float32
KEPT_ELEMENTS = (
    1 << 25
)  # 128 MB in float32: at V = 10,000 all that a batch of 32 AP documents needs


class SharedOffset(NamedTuple):
    """What is added to the logits of rows of the same group: ``scale * logits[group]``."""

    logits: Tensor  # (G, V)
    group: Tensor  # (R,) of each row
    scale: Tensor | float = 1.0


def log_softmax_at(
    hidden: Tensor,
    weight: Tensor,
    bias: Tensor,
    row: Tensor,
    word: Tensor,
    offset: SharedOffset | None = None,
    single_sums: bool = False,
) -> Tensor:
    """``(P,)`` log probabilities; see the module's docstring.

    Args:
        hidden: ``(R, H)``.
        weight: ``(V, H)``.
        bias: ``(V,)``.
        row: ``(P,)`` which row of ``hidden``; a row may be asked for many words, or for none.
        word: ``(P,)``.
        offset: of the logits.
        single_sums: whether sums over the vocabulary are made in single precision, where nothing
            is learned.
    """
    if offset is None:
        offset = SharedOffset(torch.zeros_like(bias)[None], row.new_zeros(len(hidden)))
    kind = hidden.device.type
    products = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else hidden.dtype
    group = offset.group
    with torch.autocast(kind, enabled=False):
        logit = (hidden[row] * weight[word]).sum(1)
        # Rows of a group stand together: a tile has few groups then.
        order = group.argsort(stable=True)
        ordered = hidden[order]
        in_use = None if torch.is_grad_enabled() else _in_use(weight, hidden, single_sums)
        sums: Tensor
        if in_use is not None and _largest(hidden) * in_use.largest < LARGEST_PRODUCT:
            logit = logit + (bias[word] + offset.scale * offset.logits[group[row], word])
            sums = _log_sums(ordered, in_use.transposed, bias, offset._replace(group=group[order]))
        else:
            shared = offset.scale * offset.logits + bias
            logit = logit + shared[group[row], word]
            small = _largest(hidden) * _largest(weight) < LARGEST_PRODUCT
            sums = _LogSumExp.apply(ordered, weight, shared, group[order], products, small)
        place = torch.empty_like(order)
        place[order] = torch.arange(len(order), device=order.device)
    return logit - sums[place[row]]


@torch.no_grad()
def _largest(rows: Tensor) -> float:
    """The norm of the longest row: by the inequality of Cauchy and Schwarz, the product of two of
    them tells whether an exponential of a product can overflow."""
    return float(rows.norm(dim=1).amax()) if len(rows) else 0.0


class _InUse(NamedTuple):
    """A weight, ready for sums."""

    transposed: Tensor  # (H, V) in the precision of the sums
    largest: float
    made_of: tuple[object, ...]


_weights_in_use: WeakIdKeyDictionary = WeakIdKeyDictionary()


def _in_use(weight: Tensor, hidden: Tensor, single: bool) -> _InUse:
    """Kept for a weight that nobody learns, as long as it is the same.

    One that is learned may change without notice: fused optimisers do not count their changes.
    """
    precision = torch.float32 if single else hidden.dtype
    made_of = weight.data_ptr(), weight._version, precision
    found: _InUse | None = None if weight.requires_grad else _weights_in_use.get(weight)
    if found is None or found.made_of != made_of:
        found = _InUse(weight.detach().to(precision).t().contiguous(), _largest(weight), made_of)
        if not weight.requires_grad:
            _weights_in_use[weight] = found
    return found


def _log_sums(hidden: Tensor, transposed: Tensor, bias: Tensor, offset: SharedOffset) -> Tensor:
    """``(R,)``: what :class:`_LogSumExp` gives, where nothing is learned and groups are sorted.

    The sum over words of ``exp(hidden weight) exp(bias + offset)`` is a product with what the rows
    of a group share, so that a tile is passed over twice only: by ``exp`` and by that product.
    All tiles have one shape, whatever is in them, and no group is cut but by its own rows: rows of
    other groups change nothing, not even the last bit.
    """
    rounded, bias = hidden.to(transposed.dtype), bias.to(transposed.dtype)
    rows, tile = rounded.new_zeros(TILE_ROWS, hidden.shape[1]), rounded.new_empty(0)
    sums, factors = rounded.new_empty(len(hidden)), torch.empty_like(bias)
    shift = rounded.new_zeros(len(offset.logits))
    scale, shared = torch.as_tensor(offset.scale).item(), NO_GROUP
    for parts in _whole_groups(torch.bincount(offset.group).tolist()):
        first, last = parts[0].begin, parts[-1].end
        rows[: last - first] = rounded[first:last]
        tile = torch.mm(rows, transposed, out=tile)
        tile[: last - first].exp_()
        for group, begin, end in parts:
            if group != shared:
                own = offset.logits[group].to(bias.dtype)
                torch.add(bias, own, alpha=scale, out=factors)
                shift[group] = factors.amax()
                factors.sub_(shift[group]).exp_()
                shared = group
            torch.mv(tile[begin - first : end - first], factors, out=sums[begin:end])
    return sums.to(hidden.dtype).log() + shift[offset.group]


class _Part(NamedTuple):
    """Rows of one group."""

    group: int
    begin: int
    end: int


def _whole_groups(sizes: Sequence[int]) -> Iterator[list[_Part]]:
    """What stands in each tile: as many whole groups as fit, or a part of one that does not."""
    parts: list[_Part] = []
    begin = 0
    for group, size in enumerate(sizes):
        for rows in range(0, size, TILE_ROWS):
            end = begin + min(size - rows, TILE_ROWS)
            if parts and (rows or end - parts[0].begin > TILE_ROWS):
                yield parts
                parts = []
            parts.append(_Part(group, begin, end))
            begin = end
    if parts:
        yield parts


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
        small: bool,
    ) -> Tensor:
        # Large logits would be rounded coarsely; so the largest ones are brought near zero.
        shift = shared.amax(1)
        shared = shared - shift[:, None]
        rounded, transposed = hidden.to(products), weight.t().to(products).contiguous()
        top = hidden.new_zeros(len(hidden), 1, dtype=products)
        total = hidden.new_empty(len(hidden))
        kept: list[Tensor] = []
        may_keep = KEPT_ELEMENTS if any(ctx.needs_input_grad) else 0
        for rows in _tiles(len(hidden), len(weight)):
            left, right, _ = _factors(rounded[rows], transposed, shared, group[rows])
            logits = left @ right
            if not small:
                torch.amax(logits, 1, keepdim=True, out=top[rows])
                logits.sub_(top[rows])
            exponentials = logits.exp_()
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
        scale = (gradient / total)[:, None]
        d_hidden = gradient.new_empty(len(rounded), width)
        _, learns_weight, learns_shared, *_ = ctx.needs_input_grad  # neither while refining theta
        d_transposed = gradient.new_zeros(width, vocabulary) if learns_weight else None
        d_shared = gradient.new_zeros(shared.shape) if learns_shared else None
        for tile, rows in enumerate(_tiles(len(rounded), vocabulary)):
            left, right, groups = _factors(rounded[rows], transposed, shared, group[rows])
            again = tile >= len(kept)
            exponentials = (left @ right).sub_(top[rows]).exp_() if again else kept[tile]
            # Whatever is done to whole rows is done to what they are multiplied with.
            d_hidden[rows] = scale[rows] * (exponentials @ transposed.t())
            if d_transposed is None and d_shared is None:
                continue
            scaled = (left * scale[rows]).to(left.dtype).t().contiguous()
            d_right = scaled @ exponentials
            if d_transposed is not None:
                d_transposed += d_right[:width]
            if d_shared is not None:
                d_shared.index_add_(0, groups, d_right[width:].to(d_shared.dtype))
        d_weight = None if d_transposed is None else d_transposed.t()
        return d_hidden, d_weight, d_shared, None, None, None
