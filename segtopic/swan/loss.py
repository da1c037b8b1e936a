"""The paper's standalone loss function: put it under any encoder, as ``torch.nn.CTCLoss``.

>>> import torch
>>> loss = SwanLoss(width=8, n_symbols=5)
>>> vectors = torch.randn(2, 6, 8)  # of any encoder: (batch, inputs, width)
>>> targets = torch.tensor([[0, 1, 4], [2, 2, 0]])  # the second has two symbols
>>> value = loss(vectors, targets, torch.tensor([6, 5]), torch.tensor([3, 2]))
>>> [len(best) for best in loss.decode(vectors, torch.tensor([6, 5]), beam=4, n_best=2)]
[2, 2]
"""

from typing import Literal, Unpack

import torch
from torch import Tensor, nn

from segtopic.config import SwanSettings
from segtopic.lattice.grids import Grid, grid_log_partition
from segtopic.swan.alignment import Alignment, alignments
from segtopic.swan.decode import Hypothesis, SearchWishes, decoded
from segtopic.swan.encoder import Encoded
from segtopic.swan.segments import SegmentNetwork


class SwanLoss(nn.Module):
    """Negative log likelihood of targets, given an encoder's vectors.

    It has weights of its own, the segment network: give them to the optimiser too.

    Args:
        width: of the encoder's vectors.
        n_symbols: of the targets, numbered from 0; there is no blank among them.
        settings: of the segment network; those of the encoder are not used.
        reduction: as in ``torch.nn.CTCLoss``: ``mean`` divides each loss by its target's length.
        zero_infinity: whether a pair with ``T > L T'`` costs nothing instead of infinitely much.
            Its gradient is zero in any case.
    """

    def __init__(
        self,
        width: int,
        n_symbols: int,
        settings: SwanSettings | None = None,
        reduction: Literal["none", "mean", "sum"] = "mean",
        zero_infinity: bool = False,
    ) -> None:
        super().__init__()
        if reduction not in ("none", "mean", "sum"):
            raise ValueError(f"reduction must be 'none', 'mean' or 'sum', got '{reduction}'")
        self.segments = SegmentNetwork(settings or SwanSettings(), width, n_symbols)
        self.reduction = reduction
        self.zero_infinity = zero_infinity

    def forward(
        self, vectors: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor
    ) -> Tensor:
        """The loss: one number, or ``(B,)`` without reduction.

        Args:
            vectors: ``(B, T', width)``.
            targets: ``(B, T)``; the padding may hold anything.
            input_lengths: ``(B,)``.
            target_lengths: ``(B,)``.
        """
        losses = -grid_log_partition(*self._scored(vectors, targets, input_lengths, target_lengths))
        if self.zero_infinity:
            losses = losses.masked_fill(losses.isinf(), 0)
        if self.reduction == "none":
            return losses
        if self.reduction == "sum":
            return losses.sum()
        return (losses / target_lengths.clamp(min=1)).mean()

    def decode(
        self, vectors: Tensor, input_lengths: Tensor, **wishes: Unpack[SearchWishes]
    ) -> list[list[Hypothesis]]:
        """The best outputs of each sequence, best first; greedy if nothing is wished.

        Args:
            vectors: ``(B, T', width)``.
            input_lengths: ``(B,)``.
            wishes: ``beam``, ``local_beam``, ``merge`` and ``n_best``, as of :class:`BeamSearch`.
        """
        return decoded(Encoded(vectors, input_lengths), self.segments, **wishes)

    @torch.no_grad()
    def align(
        self, vectors: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor
    ) -> list[Alignment]:
        """The best path of each pair, given its outputs."""
        return alignments(*self._scored(vectors, targets, input_lengths, target_lengths))

    def _scored(
        self, vectors: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor
    ) -> tuple[Tensor, Grid]:
        grid = Grid.from_lengths(input_lengths, target_lengths)
        targets = self._checked(vectors, targets, grid)
        return self.segments(vectors, targets, grid), grid

    def _checked(self, vectors: Tensor, targets: Tensor, grid: Grid) -> Tensor:
        """The targets, if all is well, with zeros in the padding."""
        wanted = (grid.n_pairs, grid.most_inputs, self.segments.from_input.in_features)
        shape = tuple(vectors.shape)
        if len(shape) != 3 or shape[::2] != wanted[::2] or shape[1] < wanted[1]:
            raise ValueError(f"vectors must have the shape {wanted} or more padding, got {shape}")
        shape = tuple(targets.shape)
        if len(shape) != 2 or shape[0] != grid.n_pairs or shape[1] < grid.most_outputs:
            raise ValueError(
                f"targets must have the shape {(grid.n_pairs, grid.most_outputs)} or more padding, "
                f"got {shape}"
            )
        inside = torch.arange(shape[1], device=targets.device) < grid.outputs[:, None]
        unknown = inside & ((targets < 0) | (targets >= self.segments.n_symbols))
        if bool(unknown.any()):
            raise ValueError(
                f"targets must be numbers from 0 to {self.segments.n_symbols - 1}, "
                f"got {int(targets[unknown][0])}"
            )
        return targets.masked_fill(~inside, 0)
