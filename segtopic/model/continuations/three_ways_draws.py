"""Words drawn by ``three-ways``: a way first, then a word of that way.

The memory's words are few (:mod:`segtopic.model.memory_draws`); the whole vocabulary is needed only
where the network goes on.
"""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from segtopic.model.continuations.draws import END, pick
from segtopic.model.continuations.protocol import Context
from segtopic.model.liking import Liking
from segtopic.model.memory_draws import MemoryDraws
from segtopic.model.packing import TrieLevel

if TYPE_CHECKING:
    from segtopic.model.continuations.three_ways import ThreeWays


class ThreeWaysDraws:
    """Draws which way a segment goes on, and then a word of that way.

    Args:
        ways: the continuation.
        context: of the documents.
        by_memory: how much they like the words of the memory.
        by_network: how much they like those of the network.
    """

    def __init__(
        self, ways: "ThreeWays", context: Context, by_memory: Liking, by_network: Liking
    ) -> None:
        self._ways, self._context, self._offset = ways, context, by_network.log_table
        self._memory = MemoryDraws(ways.phrases, by_memory.table)

    @torch.no_grad()
    def __call__(self, document: Tensor, histories: Tensor, uniform: Tensor) -> Tensor:
        """See :class:`segtopic.model.continuations.draws.Draws`."""
        length, itself = histories.shape[1], torch.arange(len(document))
        levels = [TrieLevel(itself, word, itself, itself) for word in histories.t()]
        state = Context(self._context.network, self._context.x[document]).histories(levels)[-1]
        known = self._memory.known(document, histories)
        left_over, liked = known.mass.left_over[length - 1], known.mass.liked[length - 1]
        ways = self._ways.log_ways(state, left_over, liked, length - 1)
        way = pick(torch.stack(ways, dim=1).exp(), uniform[:, 0])
        words = torch.full_like(document, END)
        by_memory, by_network = ((way == number).nonzero().flatten() for number in (1, 2))
        words[by_memory] = known.pick(by_memory, uniform[by_memory, 1:])
        logits = self._ways.further(self._ways.narrow(state[by_network]))
        shares = (logits + self._offset[document[by_network]]).softmax(1)
        words[by_network] = pick(shares, uniform[by_network, 1])
        return words
