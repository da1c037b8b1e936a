"""What a topic is: the topic shares of the training documents in, a document for each topic out.

A model of this kind knows documents, not topics: everything that it says is said of a document
with some topic shares. So topic ``k`` is read off a made-up document that stands for it, beside
the average document. Four such documents, all with ``(K,)`` shares that sum to one:

- *corner*: all of it topic ``k``. Simple, but far from any document seen in training.
- *peak*: the average document with as much of topic ``k`` as any real document has (the 99th
  percentile of its share), the others scaled down to make room.
- *direction*: the average document moved three tenths of the way to the corner. What it says more
  often than the average document is what the topic adds.
- *documents*: the average of the training documents, each weighted by its share of the topic.

*direction* is the default: of the ten words that add most to a topic's divergence from the average
it has the best coherence without giving up diversity, and such lists read best. NPMI, c_v and
diversity by ``segtopic topics RUN --compare-definitions``:

    =========  ======  =====  ====  =========  =====  ====
    ..         AP, 70 topics        CiteULike, 100 topics
    ---------  -------------------  ----------------------
    corner      0.010  0.591  0.86     -0.086  0.486  0.89
    peak        0.054  0.616  0.85     -0.064  0.492  0.81
    direction   0.055  0.617  0.85     -0.049  0.522  0.84
    documents   0.087  0.609  0.53      0.056  0.580  0.18
    =========  ======  =====  ====  =========  =====  ====

*documents* is as good for topics that documents use. But a topic that none uses much is then the
average document, so that all of these read alike: coherent, and useless.

>>> shares = torch.tensor([[0.5, 0.5], [1.0, 0.0]])
>>> direction(shares)
tensor([[0.8250, 0.1750],
        [0.5250, 0.4750]])
"""

from collections.abc import Callable

import torch
from torch import Tensor

from segtopic.config import Definition

TOP_PERCENTILE = 0.99
STEP = 0.3


def corner(shares: Tensor) -> Tensor:
    """``(D, K)`` shares to ``(K, K)``: documents of one topic."""
    return torch.eye(shares.shape[1], dtype=shares.dtype)


def peak(shares: Tensor) -> Tensor:
    """``(D, K)`` shares to ``(K, K)``: the average, with a topic at its highest."""
    mean = shares.mean(0)
    highest = shares.quantile(TOP_PERCENTILE, dim=0)
    others = mean * ((1 - highest) / (1 - mean).clamp(min=1e-6))[:, None]
    return others.fill_diagonal_(0) + torch.diag(highest)


def direction(shares: Tensor) -> Tensor:
    """``(D, K)`` shares to ``(K, K)``: the average, a step towards a corner."""
    return torch.lerp(shares.mean(0).expand(shares.shape[1], -1), corner(shares), STEP)


def documents(shares: Tensor) -> Tensor:
    """``(D, K)`` shares to ``(K, K)``: the documents of a topic, averaged."""
    return (shares.t() @ shares) / shares.sum(0)[:, None]


DEFINITIONS: dict[Definition, Callable[[Tensor], Tensor]] = {
    "corner": corner,
    "peak": peak,
    "direction": direction,
    "documents": documents,
}
