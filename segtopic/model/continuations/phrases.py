"""``phrases``: the phrase memory tells when a segment ends, and all its words but the first.

See :mod:`segtopic.model.phrase_memory`. The network is needed for first words only.
"""

from collections.abc import Iterable, Mapping
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.corpus.documents import Documents, IntArray
from segtopic.model.continuations.first_words import FirstWordSoftmax
from segtopic.model.continuations.protocol import (
    Context,
    Need,
    NextWords,
    SegmentSettings,
    Steps,
)
from segtopic.model.packing import TrieLevel, pack_phrases
from segtopic.model.phrase_memory import PhraseMemory


class CountedPhrases(FirstWordSoftmax):
    """A segment is a phrase that the memory knows; it ends where the memory has little to say."""

    needs: ClassVar[Mapping[str, Need]] = {
        "last_step": Need(
            "certain",
            "continuation '{name}' needs last_step 'certain'; "
            "for the paper's model use continuation 'joint' with last_step 'charged'",
        )
    }

    def __init__(self, settings: SegmentSettings) -> None:
        super().__init__(settings)
        self.phrases = PhraseMemory(settings.vocabulary_size, settings.max_length)

    def learn_counts(self, documents: Documents) -> None:
        """Fill the memory."""
        self.phrases.learn(documents)

    def fast_parameters(self) -> Iterable[nn.Parameter]:
        """Discounts, strengths and the calibration of ends."""
        return self.phrases.parameters()

    def forward(self, context: Context, levels: list[TrieLevel]) -> Steps:
        """See :class:`Continuation`."""
        mass = self.phrases(levels, context.leave_out)
        words, ends = [self.score_bags(context, levels[0])], []
        for depth in range(len(levels)):
            if depth + 1 == self.settings.max_length:
                ends.append(context.x.new_zeros(()))  # it is certain
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

    def propose(self, context: Context, beginnings: IntArray, least_share: Tensor) -> NextWords:
        """All words ever seen after the last word: no other has a share."""
        length = beginnings.shape[1]
        word, beginning = self.phrases.followers(beginnings[:, -1])
        log_share = least_share.new_zeros(0)
        if len(word):
            continued = np.column_stack([beginnings[beginning], word])
            batch = pack_phrases(continued, self.settings.max_length)
            mass = self.phrases(batch.levels, leave_out=False)
            known = mass.known[length - 1][batch.first_nodes(length + 1)]
            goes_on = 1 - mass.left_over[length - 1][batch.first_nodes(length)]
            log_share = (known / goes_on).log()
        return NextWords(torch.from_numpy(beginning), torch.from_numpy(word), log_share)
