"""``joint``: one softmax over the words and the end symbol ``$``, as in the paper."""

import torch

from segtopic.model.continuations.protocol import Context, SegmentSettings, Steps
from segtopic.model.continuations.recurrent import Numbered, RecurrentSoftmax, by_level
from segtopic.model.packing import TrieLevel
from segtopic.model.softmax import log_softmax_at


class JointSoftmax(RecurrentSoftmax):
    """The last row of the output is ``$``, which the first step excludes."""

    def __init__(self, settings: SegmentSettings) -> None:
        super().__init__(settings, further_symbols=1)

    def forward(self, context: Context, levels: list[TrieLevel]) -> Steps:
        """See :class:`Continuation`."""
        states = context.histories(self.open_levels(levels))
        all_states, parent, word = Numbered.of(states, levels)
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
        return by_level(torch.cat([first_words, words]), ends, states, levels)
