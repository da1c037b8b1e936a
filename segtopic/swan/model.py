"""The whole model: inputs and outputs in, log likelihoods (Eq. 2), decoded outputs, alignments."""

from typing import ClassVar, NamedTuple, Unpack

import torch
from torch import Tensor

from segtopic.config import SwanSettings
from segtopic.lattice.grids import Grid, grid_log_partition
from segtopic.swan.alignment import Alignment, alignments
from segtopic.swan.ctc import CtcModel
from segtopic.swan.decode import Hypothesis, SearchWishes, decoded
from segtopic.swan.emission import EmissionNetwork
from segtopic.swan.encoder import Encoded, Encoder, RecurrentEncoder
from segtopic.swan.guide import Guide
from segtopic.swan.segments import SegmentNetwork
from segtopic.swan.sequence_model import Losses, PairBatch, SequenceModel, learnable
from segtopic.swan.symbols import SymbolTable


class Scored(NamedTuple):
    """Segment scores on the grids of a batch; what the functions of ``lattice.grids`` take."""

    scores: Tensor  # (B, T', T + 1, L + 1)
    grid: Grid


class SwanModel(SequenceModel):
    """An encoder, and the segment network over it.

    Args:
        settings: of the network.
        encoder: see :mod:`segtopic.swan.encoder`.
        n_symbols: of the outputs.
    """

    network: ClassVar[type[EmissionNetwork]] = SegmentNetwork

    def __init__(self, settings: SwanSettings, encoder: Encoder, n_symbols: int) -> None:
        super().__init__()
        self.settings = settings
        self.encoder = encoder
        self.segments = self.network(settings, encoder.width, n_symbols)
        # The last of all: optimisers in checkpoints know weights by order.
        self.guide = (
            Guide(encoder.width, n_symbols, settings.dropout) if settings.ctc_weight else None
        )

    def is_possible(self, n_inputs: int, n_outputs: int) -> bool:
        """Whether so many inputs can emit so many outputs at all."""
        return n_outputs <= self.settings.max_segment_length * self.encoder.n_vectors(n_inputs)

    def encode(self, inputs: Tensor, lengths: Tensor) -> Encoded:
        """One vector for each input that emits a segment."""
        return self.encoder(inputs, lengths)

    def score(self, batch: PairBatch) -> Scored:
        """Log probabilities of all segments that a path may need."""
        encoded = self.encode(batch.inputs, batch.input_lengths)
        grid = Grid(encoded.lengths, batch.target_lengths)
        return Scored(self.segments(encoded.vectors, batch.targets, grid), grid)

    def log_likelihood(self, batch: PairBatch) -> Tensor:
        """``(B,)``: ``log p(outputs | inputs)``; minus infinity where ``T > L T'``."""
        return grid_log_partition(*self.score(batch))

    def phase(self, progress: float) -> float:
        """The first phase is the guide's, if there is one."""
        first = self.settings.ctc_first
        if progress < first:
            return progress / first
        return (progress - first) / (1 - first)

    def learned_at(self, progress: float) -> SequenceModel:
        """In the first phase the guide; its encoder is the model's own."""
        if self.guide is None or progress >= self.settings.ctc_first:
            return self
        return CtcModel(self.encoder, self.guide).train(self.training)

    def losses(self, batch: PairBatch, progress: float) -> Losses:
        """The negative log likelihood, and the guide's, which is alone for a first while."""
        if self.guide is None:
            return super().losses(batch, progress)
        encoded = self.encode(batch.inputs, batch.input_lengths)
        pairs = (batch.targets, batch.target_lengths)
        distributions = self.guide.distributions(encoded.vectors)
        guiding = self.guide.losses(distributions, encoded.lengths, *pairs)
        if progress < self.settings.ctc_first:
            return Losses(guiding, -guiding.detach())
        band = self.settings.band
        near = self.guide.near(distributions, encoded, *pairs, band) if band else None
        grid = Grid(encoded.lengths, batch.target_lengths)
        scores = self.segments(encoded.vectors, batch.targets, grid, near)
        log_likelihood = grid_log_partition(scores, grid)
        losses = self.settings.ctc_weight * guiding - learnable(log_likelihood)
        return Losses(losses, log_likelihood.detach())

    def decode(
        self, inputs: Tensor, lengths: Tensor, **wishes: Unpack[SearchWishes]
    ) -> list[list[Hypothesis]]:
        """The best outputs of each input sequence, best first; greedy if nothing is wished.

        Args:
            inputs: ``(B, T'')`` symbols or ``(B, T'', F)`` features.
            lengths: ``(B,)``.
            wishes: ``beam``, ``local_beam``, ``merge`` and ``n_best``, as of :class:`BeamSearch`.
        """
        with torch.no_grad(), torch.autocast(inputs.device.type, enabled=False):
            return decoded(self.encode(inputs, lengths), self.segments, **wishes)

    @torch.no_grad()
    def align(self, batch: PairBatch) -> list[Alignment]:
        """The best path of each pair, given its outputs."""
        return alignments(*self.score(batch))


def new_model(settings: SwanSettings, inputs: SymbolTable, outputs: SymbolTable) -> SwanModel:
    """A model of symbols with random weights; seed torch before."""
    return SwanModel(settings, RecurrentEncoder(settings, len(inputs)), len(outputs))
