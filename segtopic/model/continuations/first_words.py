"""First words by a softmax over the network's first state, which may correct given topics."""

import torch
from torch import Tensor, nn

from segtopic.model.continuations.protocol import Context, Continuation, Counted, SegmentSettings
from segtopic.model.packing import TrieLevel

WEIGHT_DEVIATION = 0.02  # of a softmax that starts from frequencies: nearly the same everywhere


class FirstWordSoftmax(Continuation):
    """A continuation with this softmax; what comes after the first word is for others to say.

    Args:
        settings: of the segments.
        further_symbols: outputs beside the words, after them.
    """

    def __init__(self, settings: SegmentSettings, further_symbols: int = 0) -> None:
        super().__init__(settings)
        self.output = nn.Linear(settings.hidden_size, settings.vocabulary_size + further_symbols)

    @torch.no_grad()
    def start(self, counted: Counted) -> None:
        """Without corrections where topics are given, else from the words' frequencies."""
        super().start(counted)
        if counted.given_topics:
            nn.init.zeros_(self.output.weight)
            nn.init.zeros_(self.output.bias)
        elif counted.unigram_start:
            self.output.bias[: self.settings.vocabulary_size] = counted.frequencies.log()
            nn.init.normal_(self.output.weight, std=WEIGHT_DEVIATION)

    def first_word_distribution(self, context: Context) -> Tensor:
        """See :class:`Continuation`."""
        return self.logits(context, context.begin()).softmax(1)

    def score_bags(self, context: Context, bags: TrieLevel) -> Tensor:
        """See :class:`Continuation`."""
        logits = self.logits(context, context.begin())
        return logits.log_softmax(1)[bags.parent, bags.word]

    def logits(self, context: Context, begin: Tensor) -> Tensor:
        """``(D, V)`` of first words, from the network's state before them."""
        logits = self.word_logits(begin)
        return logits if context.offset is None else logits + context.offset

    def word_logits(self, states: Tensor) -> Tensor:
        """``(..., H)`` to ``(..., V)``."""
        logits: Tensor = self.output(states)
        return logits[..., : self.settings.vocabulary_size]

    @property
    def corrected(self) -> bool:
        """Weights are zero before the first correction is learned."""
        return bool(self.output.weight.any())

    def freeze_corrections(self) -> None:
        """Keep the softmax as it is."""
        self.output.requires_grad_(False)
