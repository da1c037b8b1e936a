"""``gated``: a sigmoid decides whether the segment ends; the words share the rest by a softmax.

The same family of distributions as the paper's, but the softmax is needed only after histories
that go on.
"""

from torch import nn
from torch.nn import functional as F

from segtopic.model.continuations.protocol import Context, SegmentSettings, Steps
from segtopic.model.continuations.recurrent import Numbered, RecurrentSoftmax, by_level
from segtopic.model.packing import TrieLevel
from segtopic.model.softmax import log_softmax_at


class GatedSoftmax(RecurrentSoftmax):
    """``p($ | h) = sigmoid(g(h))``, and ``1 - p($ | h)`` for all words together."""

    def __init__(self, settings: SegmentSettings) -> None:
        super().__init__(settings)
        self.end_gate = nn.Linear(settings.hidden_size, 1)

    def forward(self, context: Context, levels: list[TrieLevel]) -> Steps:
        """See :class:`Continuation`."""
        states = context.histories(self.open_levels(levels))
        all_states, parent, word = Numbered.of(states, levels)
        rows, row = parent.unique_consecutive(return_inverse=True)
        words = log_softmax_at(
            all_states.index_select(0, rows), self.output.weight, self.output.bias, row, word
        )
        n_documents = len(states[0])
        gate = self.end_gate(all_states[n_documents:]).squeeze(1)
        go_on = F.pad(F.logsigmoid(-gate), (n_documents, 0))
        words = words + go_on.index_select(0, parent)
        return by_level(words, F.logsigmoid(gate), states, levels)
