"""``roles``: words that begin phrases come from the topics; further on all phrases are alike.

See :mod:`segtopic.model.word_roles`. The network is needed for first words only.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.corpus.documents import IntArray
from segtopic.model.continuations.first_words import FirstWordSoftmax
from segtopic.model.continuations.protocol import (
    Context,
    Counted,
    Need,
    NextWords,
    SegmentSettings,
    Steps,
)
from segtopic.model.packing import TrieLevel
from segtopic.model.word_roles import Roles, learn_roles


class WordRoles(FirstWordSoftmax):
    """One number a word says how often it stands inside phrases, another how often it ends them.

    A document's own words are not left out in training: they move the roles of words little.
    """

    needs: ClassVar[Mapping[str, Need]] = {
        "last_step": Need(
            "charged",
            "continuation '{name}' needs last_step 'charged': "
            "it learns where phrases end from the ends of spans",
        )
    }

    def __init__(self, settings: SegmentSettings) -> None:
        super().__init__(settings)
        self.inside = nn.Parameter(torch.zeros(settings.vocabulary_size))  # logits
        self.end = nn.Parameter(torch.zeros(settings.vocabulary_size))  # log odds

    def start(self, counted: Counted) -> None:
        """From roles that make the documents probable."""
        super().start(counted)
        size, longest = self.settings.vocabulary_size, self.settings.max_length
        # Given topics make all words; the softmax is to make those that begin phrases of them.
        offset = counted.frequencies if counted.given_topics else torch.ones(size)
        self.start_from_roles(learn_roles(counted.documents, size, longest), offset)

    @torch.no_grad()
    def start_from_roles(self, roles: Roles, offset: Tensor) -> None:
        """Take over what counting found; ``offset``, ``(V,)``, is what first words have of it."""
        self.inside.copy_(roles.inside.log())
        self.end.copy_(roles.end.logit())
        self.output.bias.copy_((roles.first / offset).log())

    def forward(self, context: Context, levels: list[TrieLevel]) -> Steps:
        """See :class:`Continuation`."""
        inside = self.inside.log_softmax(0)
        words = [self.score_bags(context, levels[0])]
        for above, level in pairwise(levels):
            words.append(inside[level.word] + F.logsigmoid(-self.end[above.word])[level.parent])
        return Steps(words, [F.logsigmoid(self.end[level.word]) for level in levels])

    def propose(self, context: Context, beginnings: IntArray, least_share: Tensor) -> NextWords:
        """The same words after every beginning."""
        log_share = self.inside.log_softmax(0).expand(len(beginnings), -1)
        return NextWords.at_least(log_share, least_share)
