"""Words drawn by ``three-ways``: a way first, then a word of that way.

The memory's words are few (:mod:`segtopic.model.memory_draws`), and so are those of a class of the
network's; the whole vocabulary is needed for first words only.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from segtopic.model.blocks import Blocks, padded
from segtopic.model.class_softmax import Likes
from segtopic.model.continuations.draws import END, pick
from segtopic.model.continuations.protocol import Context
from segtopic.model.liking import Liking
from segtopic.model.memory_draws import MemoryDraws
from segtopic.model.reading import SegmentReader

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
        vectors, shares, ratios, of_classes = [], [], [], []  # to those in all texts
        for context in contexts:
            vectors.append(context.x)
            log_first = ways.logits(context, context.begin()).log_softmax(1)
            likes = ways.likes(log_first)
            ratios.append(likes.words.log_ratios.float())
            of_classes.append(likes.classes.log_ratios)
            shares.append(padded(log_first.exp_().float()))
        self.first_words = Blocks(torch.cat(shares), n_words)
        log_ratios = torch.cat(ratios)
        self._read = SegmentReader(context.network, torch.cat(vectors))
        self._memory = MemoryDraws(ways.phrases, ways.liking(log_ratios, ways.memory_liking))
        self._likes = Likes(
            Liking(log_ratios, likes.words.power),
            Liking(torch.cat(of_classes), likes.classes.power),
        )

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
        words[by_network] = self._made(narrowed, document[by_network], uniform[by_network, 1:])
        return words

    def _made(self, hidden: Tensor, document: Tensor, uniform: Tensor) -> Tensor:
        """By the network: a class first, then a word of it."""
        softmax, words = self._ways.further, torch.full_like(document, END)
        log_classes = softmax.log_classes(hidden, document, self._likes)
        its_class = pick(log_classes.exp(), uniform[:, 0])
        members = softmax.members()
        for number in its_class.unique().tolist():
            rows = (its_class == number).nonzero().flatten()
            of_class = members[number]
            logits = softmax.logits(hidden[rows], document[rows], of_class, self._likes.words)
            words[rows] = of_class[pick(logits.softmax(1), uniform[rows, 1])]
        return words
