"""Words drawn by ``three-ways``: a way first, then a word of that way.

The memory's words are few (:mod:`segtopic.model.memory_draws`); the whole vocabulary is needed only
where the network goes on.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from segtopic.model.blocks import Blocks, padded
from segtopic.model.continuations.draws import END, pick
from segtopic.model.continuations.protocol import Context
from segtopic.model.memory_draws import MemoryDraws
from segtopic.model.reading import SegmentReader
from segtopic.model.softmax_draws import SoftmaxDraws

if TYPE_CHECKING:
    from segtopic.model.continuations.three_ways import ThreeWays


class ThreeWaysDraws:
    """Draws which way a segment goes on, and then a word of that way.

    Args:
        ways: the continuation.
        contexts: of the documents, some at a time.
    """

    @torch.no_grad()
    def __init__(self, ways: "ThreeWays", contexts: Iterable[Context]) -> None:
        self._ways = ways
        n_words = ways.settings.vocabulary_size
        vectors, shares, ratios = [], [], []  # shares of first words; to those in all texts
        for context in contexts:
            vectors.append(context.x)
            log_first = ways.logits(context, context.begin()).log_softmax(1)
            ratios.append(padded(ways.log_ratios(log_first).float()))
            shares.append(padded(log_first.exp_().float()))
        self.first_words = Blocks(torch.cat(shares), n_words)
        log_ratios = torch.cat(ratios)
        self._read = SegmentReader(context.network, torch.cat(vectors))
        self._memory = MemoryDraws(ways.phrases, ways.liking(log_ratios, ways.memory_liking))
        power = float(ways.liking(log_ratios, ways.network_liking).power)
        self._network = SoftmaxDraws(ways.further.weight, ways.further.bias, log_ratios, power)

    @torch.no_grad()
    def __call__(self, document: Tensor, histories: Tensor, uniform: Tensor) -> Tensor:
        """See :class:`segtopic.model.continuations.draws.Draws`."""
        length = histories.shape[1]
        state = self._read(document, histories)
        known = self._memory.known(document, histories)
        left_over, liked = known.mass.left_over[length - 1], known.mass.liked[length - 1]
        ways = self._ways.log_ways(state, left_over, liked, length - 1)
        way = pick(torch.stack(ways, dim=1).exp(), uniform[:, 0])
        words = torch.full_like(document, END)
        by_memory, by_network = ((way == number).nonzero().flatten() for number in (1, 2))
        words[by_memory] = known.pick(by_memory, uniform[by_memory, 1:])
        narrowed = self._ways.narrow(state[by_network])
        words[by_network] = self._network(narrowed, document[by_network], uniform[by_network, 1])
        return words
