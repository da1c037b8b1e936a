"""The peer with the same encoder: connectionist temporal classification.

Each input emits one symbol or the blank; equal neighbours are one. It cannot make more outputs
than inputs.
"""

import math
from itertools import groupby

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.swan.decode import Hypothesis
from segtopic.swan.dropout import SequenceDropout
from segtopic.swan.encoder import Encoder
from segtopic.swan.prefix_beam import prefix_search
from segtopic.swan.sequence_model import PairBatch, SequenceModel


class CtcModel(SequenceModel):
    """An encoder and one linear layer.

    Args:
        encoder: see :mod:`segtopic.swan.encoder`.
        n_symbols: of the outputs; the blank has the number ``n_symbols``.
        dropout: on the encoder's vectors in training.
    """

    def __init__(self, encoder: Encoder, n_symbols: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.encoder = encoder
        self.symbols = nn.Linear(encoder.width, n_symbols + 1)
        self.dropout = SequenceDropout(dropout)
        self.blank = n_symbols

    def log_likelihood(self, batch: PairBatch) -> Tensor:
        """``(B,)``: ``log p(outputs | inputs)``; minus infinity where it is impossible."""
        encoded = self.encoder(batch.inputs, batch.input_lengths)
        losses = F.ctc_loss(
            self._distributions(encoded.vectors).transpose(0, 1),
            batch.targets,
            encoded.lengths,
            batch.target_lengths,
            blank=self.blank,
            reduction="none",
            zero_infinity=True,  # otherwise the gradient of what is impossible is no number
        )
        needed = fewest_inputs(batch.targets, batch.target_lengths)
        return (-losses).masked_fill(needed > encoded.lengths, -math.inf)

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
            distributions = self._distributions(encoded.vectors)
        rows = [each[:n] for each, n in zip(distributions, encoded.lengths.tolist(), strict=True)]
        if beam == 1:
            return [[self._best_path(each)] for each in rows]
        return [prefix_search(each.double().numpy(), self.blank, beam, n_best) for each in rows]

    def _best_path(self, distributions: Tensor) -> Hypothesis:
        best = distributions.max(-1)
        return Hypothesis(self._collapsed(best.indices.tolist()), float(best.values.sum()))

    def _distributions(self, vectors: Tensor) -> Tensor:
        logits: Tensor = self.symbols(self.dropout(vectors))
        return logits.to(self.symbols.weight.dtype).log_softmax(-1)

    def _collapsed(self, symbols: list[int]) -> tuple[int, ...]:
        return tuple(symbol for symbol, _ in groupby(symbols) if symbol != self.blank)


def fewest_inputs(targets: Tensor, lengths: Tensor) -> Tensor:
    """``(B,)``: one input for each output, and a blank between equal neighbours."""
    pair = torch.arange(max(targets.shape[1] - 1, 0), device=targets.device)
    equal = (targets[:, 1:] == targets[:, :-1]) & (pair < lengths[:, None] - 1)
    return lengths + equal.sum(1)
