"""The peer with the same encoder: connectionist temporal classification.

Each input emits one symbol or the blank; equal neighbours are one. It cannot make more outputs
than inputs.
"""

from itertools import groupby

import torch
from torch import Tensor

from segtopic.swan.decode import Hypothesis
from segtopic.swan.encoder import Encoder
from segtopic.swan.guide import Guide
from segtopic.swan.prefix_beam import prefix_search
from segtopic.swan.sequence_model import PairBatch, SequenceModel


class CtcModel(SequenceModel):
    """An encoder and a layer over it; as a part of SWAN that layer is a guide.

    Args:
        encoder: see :mod:`segtopic.swan.encoder`.
        guide: the layer, as wide as the encoder.
    """

    def __init__(self, encoder: Encoder, guide: Guide) -> None:
        super().__init__()
        self.encoder = encoder
        self.guide = guide

    def log_likelihood(self, batch: PairBatch) -> Tensor:
        """``(B,)``: ``log p(outputs | inputs)``; minus infinity where it is impossible."""
        encoded = self.encoder(batch.inputs, batch.input_lengths)
        return self.guide.log_likelihood(encoded, batch.targets, batch.target_lengths)

    @torch.no_grad()
    def decode(
        self, inputs: Tensor, lengths: Tensor, *, beam: int = 1, n_best: int = 1
    ) -> list[list[Hypothesis]]:
        """The best outputs of each input sequence, best first.

        A beam of one is greedy: the best symbol of each input, and the log probability of that path
        alone. A wider one is the search of :mod:`segtopic.swan.prefix_beam`.

        Args:
            inputs: ``(B, T'')`` symbols or ``(B, T'', F)`` features.
            lengths: ``(B,)``.
            beam: outputs that are thought of at the same time.
            n_best: of each sequence, at most ``beam``.
        """
        with torch.autocast(inputs.device.type, enabled=False):
            encoded = self.encoder(inputs, lengths)
            distributions = self.guide.distributions(encoded.vectors)
        rows = [each[:n] for each, n in zip(distributions, encoded.lengths.tolist(), strict=True)]
        if beam == 1:
            return [[self._best_path(each)] for each in rows]
        blank = self.guide.blank
        return [prefix_search(each.double().numpy(), blank, beam, n_best) for each in rows]

    def _best_path(self, distributions: Tensor) -> Hypothesis:
        best = distributions.max(-1)
        return Hypothesis(self._collapsed(best.indices.tolist()), float(best.values.sum()))

    def _collapsed(self, symbols: list[int]) -> tuple[int, ...]:
        return tuple(symbol for symbol, _ in groupby(symbols) if symbol != self.guide.blank)
