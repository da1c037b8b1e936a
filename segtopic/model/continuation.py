"""What follows a history: the next word, or the segment's end. Four ways to decide.

Each gives log probabilities for the nodes of every level of the trie: of a node's last word after
its parent, and of ``$`` after the node. No segment is empty, so nothing ends after 0 words.

The two softmaxes take the network's states after 0, 1, ... words; those of the longest segments are
missing where nothing is predicted after them, because their end is certain. The other two use the
network for first words only, which makes them several times faster.
"""

from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.model.packing import TrieLevel
from segtopic.model.phrase_memory import PhraseMemory
from segtopic.model.softmax import log_softmax_at
from segtopic.model.word_roles import Roles


class Steps(NamedTuple):
    """Log probabilities per level."""

    words: list[Tensor]  # (P,) of each node's last word, given that the segment went on
    ends: list[Tensor]  # (P,) of the end after each node; a zero alone where it is certain


class _Numbered(NamedTuple):
    """The histories of all depths in one matrix, and each node's parent among them."""

    states: Tensor  # (D + P + ..., H)
    parent: Tensor
    word: Tensor

    @classmethod
    def of(cls, states: list[Tensor], levels: list[TrieLevel]) -> "_Numbered":
        begins = [0, *torch.tensor([len(s) for s in states]).cumsum(0).tolist()]
        parents = [level.parent + b for level, b in zip(levels, begins, strict=False)]
        return cls(torch.cat(states), torch.cat(parents), torch.cat([lv.word for lv in levels]))


def _by_level(words: Tensor, ends: Tensor, states: list[Tensor], levels: list[TrieLevel]) -> Steps:
    by_level = list(ends.split([len(state) for state in states[1:]]))
    by_level += [ends.new_zeros(())] * (len(levels) - len(by_level))
    return Steps(list(words.split([len(level.word) for level in levels])), by_level)


class JointSoftmax(nn.Module):
    """One softmax over the words and ``$``, as in the paper."""

    def __init__(self, vocabulary_size: int, hidden_size: int) -> None:
        super().__init__()
        self.output = nn.Linear(hidden_size, vocabulary_size + 1)  # the last row is $

    def forward(self, states: list[Tensor], levels: list[TrieLevel]) -> Steps:
        all_states, parent, word = _Numbered.of(states, levels)
        weight, bias = self.output.weight, self.output.bias
        n_documents, n_first = len(states[0]), len(levels[0].word)
        first_words = log_softmax_at(
            states[0], weight[:-1], bias[:-1], parent[:n_first], word[:n_first]
        )
        node = torch.arange(len(all_states) - n_documents, device=parent.device)
        ends_and_words = log_softmax_at(
            all_states[n_documents:],
            weight,
            bias,
            torch.cat([node, parent[n_first:] - n_documents]),
            torch.cat([torch.full_like(node, len(weight) - 1), word[n_first:]]),
        )
        ends, words = ends_and_words.tensor_split([len(node)])
        return _by_level(torch.cat([first_words, words]), ends, states, levels)


class GatedSoftmax(nn.Module):
    """A sigmoid decides whether the segment ends; the words share the rest by a softmax.

    The softmax is needed only after histories that go on.
    """

    def __init__(self, vocabulary_size: int, hidden_size: int) -> None:
        super().__init__()
        self.output = nn.Linear(hidden_size, vocabulary_size)
        self.end_gate = nn.Linear(hidden_size, 1)

    def forward(self, states: list[Tensor], levels: list[TrieLevel]) -> Steps:
        all_states, parent, word = _Numbered.of(states, levels)
        rows, row = parent.unique_consecutive(return_inverse=True)
        words = log_softmax_at(
            all_states.index_select(0, rows), self.output.weight, self.output.bias, row, word
        )
        n_documents = len(states[0])
        gate = self.end_gate(all_states[n_documents:]).squeeze(1)
        go_on = F.pad(F.logsigmoid(-gate), (n_documents, 0))
        words = words + go_on.index_select(0, parent)
        return _by_level(words, F.logsigmoid(gate), states, levels)


class TopicalFirstWords(nn.Module):
    """A softmax for first words that may start from given distributions."""

    def __init__(self, vocabulary_size: int, hidden_size: int) -> None:
        super().__init__()
        self.output = nn.Linear(hidden_size, vocabulary_size)

    def first_words(self, state: Tensor, level: TrieLevel, offset: Tensor | None) -> Tensor:
        """Log probabilities of the first level's words; ``offset`` is added to the logits."""
        logits = self.output(state)
        if offset is not None:
            logits = logits + offset
        return logits.log_softmax(1)[level.parent, level.word]


class WordRoles(TopicalFirstWords):
    """Words that begin phrases come from the topics; inside and at the end all phrases are alike.

    See :mod:`segtopic.model.word_roles`. The network's states after a word are not needed.
    """

    def __init__(self, vocabulary_size: int, hidden_size: int) -> None:
        super().__init__(vocabulary_size, hidden_size)
        self.inside = nn.Parameter(torch.zeros(vocabulary_size))  # logits
        self.end = nn.Parameter(torch.zeros(vocabulary_size))  # log odds

    @torch.no_grad()
    def start_from(self, roles: Roles, frequencies: Tensor) -> None:
        """Take over what counting found; ``frequencies``, ``(V,)``, are those of all words."""
        self.inside.copy_(roles.inside.log())
        self.end.copy_(roles.end.logit())
        self.output.bias.copy_((roles.first / frequencies).log())

    def forward(
        self, state: Tensor, levels: list[TrieLevel], leave_out: bool, offset: Tensor | None
    ) -> Steps:
        """``leave_out`` changes nothing: a document's own words move the roles of words little."""
        inside = self.inside.log_softmax(0)
        words = [self.first_words(state, levels[0], offset)]
        for above, level in pairwise(levels):
            words.append(inside[level.word] + F.logsigmoid(-self.end[above.word])[level.parent])
        return Steps(words, [F.logsigmoid(self.end[level.word]) for level in levels])


class CountedPhrases(TopicalFirstWords):
    """The phrase memory tells when a segment ends, and all its words but the first."""

    def __init__(self, vocabulary_size: int, hidden_size: int, max_length: int) -> None:
        super().__init__(vocabulary_size, hidden_size)
        self.phrases = PhraseMemory(vocabulary_size, max_length)

    def forward(
        self, state: Tensor, levels: list[TrieLevel], leave_out: bool, offset: Tensor | None
    ) -> Steps:
        mass = self.phrases(levels, leave_out)
        words, ends = [self.first_words(state, levels[0], offset)], []
        for depth in range(len(levels)):
            if depth + 1 == self.phrases.max_length:
                ends.append(state.new_zeros(()))  # it is certain
                continue
            gate = self.phrases.end_log_odds(mass.left_over[depth], depth + 1)
            ends.append(F.logsigmoid(gate))
            if depth + 1 < len(levels):
                parent, known = levels[depth + 1].parent, mass.known[depth]
                unknown = known <= 0
                goes_on = (1 - mass.left_over[depth])[parent]
                share = known.masked_fill(unknown, 1).log() - goes_on.masked_fill(unknown, 1).log()
                word = share + F.logsigmoid(-gate)[parent]
                words.append(word.masked_fill(unknown, -torch.inf))
        return Steps(words, ends)
