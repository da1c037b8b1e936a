"""What the paper's two softmaxes share: both look at the network's state after every word."""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from segtopic.corpus.documents import IntArray
from segtopic.model.continuations.first_words import FirstWordSoftmax
from segtopic.model.continuations.protocol import Context, Need, NextWords, Steps
from segtopic.model.packing import TrieLevel, pack_phrases
from segtopic.model.softmax import log_softmax_at


class Numbered(NamedTuple):
    """The histories of all depths in one matrix, and each node's parent among them."""

    states: Tensor  # (D + P + ..., H)
    parent: Tensor
    word: Tensor

    @classmethod
    def of(cls, states: list[Tensor], levels: list[TrieLevel]) -> "Numbered":
        """Number them depth after depth, the documents first."""
        begins = [0, *torch.tensor([len(s) for s in states]).cumsum(0).tolist()]
        parents = [level.parent + b for level, b in zip(levels, begins, strict=False)]
        return cls(torch.cat(states), torch.cat(parents), torch.cat([lv.word for lv in levels]))


def by_level(words: Tensor, ends: Tensor, states: list[Tensor], levels: list[TrieLevel]) -> Steps:
    """The steps of numbered nodes, each level for itself; ends are certain without a state."""
    ends_by_level = list(ends.split([len(state) for state in states[1:]]))
    ends_by_level += [ends.new_zeros(())] * (len(levels) - len(ends_by_level))
    return Steps(list(words.split([len(level.word) for level in levels])), ends_by_level)


class RecurrentSoftmax(FirstWordSoftmax):
    """One softmax for first and further words, each after the network's state before it."""

    needs: ClassVar[Mapping[str, Need]] = {
        "topics": Need(
            "network",
            "continuation '{name}' makes first words by its own softmax; "
            "use topics 'network' with it",
        )
    }
    reads_words = True

    def score_bags(self, context: Context, bags: TrieLevel) -> Tensor:
        """Without making the logits of all words at once."""
        words = slice(self.settings.vocabulary_size)
        weight, bias = self.output.weight[words], self.output.bias[words]
        return log_softmax_at(context.begin(), weight, bias, bags.parent, bags.word)

    def propose(self, context: Context, beginnings: IntArray, least_share: Tensor) -> NextWords:
        """All words, after running the network over the beginnings."""
        length = beginnings.shape[1]
        batch = pack_phrases(beginnings, self.settings.max_length)
        states = context.histories(batch.levels[:length])[length]
        log_share = self.word_logits(states[batch.first_nodes(length)]).log_softmax(1)
        return NextWords.at_least(log_share, least_share)
