"""The shape that the dynamic programmes over two sequences work on.

Each of ``B`` pairs has ``T'`` inputs and ``T`` outputs. A path leads from the corner ``(0, 0)`` of
the pair's grid to the corner ``(T', T)``; input ``t`` takes it from node ``(t, j)`` to node
``(t + 1, j + l)`` by emitting the ``l`` outputs after the first ``j``.

>>> grid = Grid.from_lengths([3, 1], [2, 4])
>>> grid.n_pairs, grid.most_inputs, grid.most_outputs
(2, 3, 4)
>>> grid.possible(3).tolist()
[True, False]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Grid:
    """Inputs and outputs of each pair, ``(B,)`` both; build with :meth:`from_lengths`."""

    inputs: Tensor
    outputs: Tensor

    @classmethod
    def from_lengths(
        cls,
        inputs: Tensor | Sequence[int],
        outputs: Tensor | Sequence[int],
        device: torch.device | str | None = None,
    ) -> "Grid":
        """Check the lengths: two vectors of whole numbers, one number of each for a pair."""
        both = [
            _whole_numbers(name, lengths, device)
            for name, lengths in (("input", inputs), ("output", outputs))
        ]
        if both[0].shape != both[1].shape:
            raise ValueError(
                f"every pair needs an input length and an output length, "
                f"got {len(both[0])} and {len(both[1])} of them"
            )
        return cls(*both)

    def to(self, device: torch.device | str) -> "Grid":
        """The same grids on another device."""
        return Grid(self.inputs.to(device), self.outputs.to(device))

    @property
    def n_pairs(self) -> int:
        return len(self.inputs)

    @cached_property
    def most_inputs(self) -> int:
        """Inputs of the pair that has most, 0 if there is none."""
        return int(self.inputs.max()) if self.n_pairs else 0

    @cached_property
    def most_outputs(self) -> int:
        """Outputs of the pair that has most, 0 if there is none."""
        return int(self.outputs.max()) if self.n_pairs else 0

    def possible(self, max_length: int) -> Tensor:
        """``(B,)`` whether segments of at most ``max_length`` outputs suffice: ``T <= L T'``."""
        return self.outputs <= max_length * self.inputs

    def is_input(self) -> Tensor:
        """``(B, T')`` true where a pair has such an input, false in the padding."""
        return self._inputs() < self.inputs[:, None]

    def fits(self, max_length: int) -> Tensor:
        """``(B, T', T + 1, L + 1)`` whether the segment stays within the pair's grid."""
        sizes = torch.arange(max_length + 1, device=self.inputs.device)
        remaining = self.outputs[:, None] - self._positions()  # (B, T + 1)
        enough = remaining[:, :, None] >= sizes
        return self.is_input()[:, :, None, None] & enough[:, None]

    def on_a_path(self, max_length: int) -> Tensor:
        """``(B, T', T + 1)`` whether some whole path leaves ``(t, j)``.

        The inputs before ``t`` emit at most ``L t`` outputs, those from ``t`` on at most
        ``L (T' - t)``. All other nodes have a posterior of zero, whatever the scores, so nothing
        needs to be known of them: a third of the nodes at ``L = 3`` where ``T' = T``, half at 2.
        """
        before, position = self._inputs()[:, None], self._positions()
        left = self.inputs[:, None, None] - before  # (B, T', 1)
        remaining = (self.outputs[:, None] - position)[:, None]  # (B, 1, T + 1)
        leaves = (remaining >= 0) & (remaining <= max_length * left)
        return self.is_input()[:, :, None] & (position <= max_length * before) & leaves

    def _inputs(self) -> Tensor:
        return torch.arange(self.most_inputs, device=self.inputs.device)

    def _positions(self) -> Tensor:
        return torch.arange(self.most_outputs + 1, device=self.outputs.device)


def check_scores(scores: Tensor, grid: Grid) -> Tensor:
    """Refuse what is not floating-point scores of these grids; cut off what is all padding.

    Returns:
        ``(B, T', T + 1, L + 1)`` with exactly the most inputs and outputs of the grids.
    """
    wanted = (grid.n_pairs, grid.most_inputs, grid.most_outputs + 1)
    shape = tuple(scores.shape)
    is_grid = len(shape) == 4 and shape[0] == wanted[0] and shape[3] >= 2
    if not is_grid or shape[1] < wanted[1] or shape[2] < wanted[2]:
        raise ValueError(
            f"scores must have the shape (pairs, inputs, outputs + 1, longest segment + 1), here "
            f"({wanted[0]}, {wanted[1]}, {wanted[2]}, L + 1) or more padding, with L >= 1, "
            f"got {shape}"
        )
    if not scores.dtype.is_floating_point:
        raise ValueError(f"scores must be floating-point numbers, got {scores.dtype}")
    return scores[:, : wanted[1], : wanted[2]]


def _whole_numbers(
    name: str, lengths: Tensor | Sequence[int], device: torch.device | str | None
) -> Tensor:
    lengths = torch.as_tensor(lengths, device=device)
    if lengths.numel() == 0:
        lengths = lengths.long()
    if lengths.dim() != 1 or lengths.dtype.is_floating_point or lengths.dtype == torch.bool:
        raise ValueError(
            f"{name} lengths must be a vector of whole numbers, "
            f"not {lengths.dtype} of shape {tuple(lengths.shape)}"
        )
    if bool((lengths < 0).any()):
        raise ValueError(f"{name} lengths must be at least 0, got {int(lengths.min())}")
    return lengths.long()
