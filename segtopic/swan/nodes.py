"""Nodes of a grid as the rows of one matrix, and back: padding and hopeless nodes cost nothing."""

import math
from typing import NamedTuple

from torch import Tensor

from segtopic.lattice.grids import Grid


class Nodes(NamedTuple):
    """Some nodes of the grids of a batch, ``(R,)`` each, in the order of the grid.

    Attributes:
        place: in the flattened ``(B, T', T + 1)`` grid.
        row: in the flattened ``(B, T')`` inputs.
        column: in the flattened ``(B, T + 1)`` positions.
        next_output: in the flattened ``(B, T)`` outputs; of no meaning where none is left.
        left: outputs that the pair has after the node.
        shape: of the grid.
    """

    place: Tensor
    row: Tensor
    column: Tensor
    next_output: Tensor
    left: Tensor
    shape: tuple[int, int, int]

    @classmethod
    def of(cls, grid: Grid, wanted: Tensor) -> "Nodes":
        """Those where ``wanted``, ``(B, T', T + 1)``, is true."""
        n_pairs, n_inputs, n_positions = wanted.shape
        pair, at_input, position = wanted.nonzero().unbind(1)
        row = pair * n_inputs + at_input
        return cls(
            row * n_positions + position,
            row,
            pair * n_positions + position,
            pair * (n_positions - 1) + position,
            grid.outputs[pair] - position,
            (n_pairs, n_inputs, n_positions),
        )

    def select(self, chosen: Tensor) -> "Nodes":
        """Some of them, by their rows."""
        place, row, column, next_output, left = (part[chosen] for part in self[:5])
        return Nodes(place, row, column, next_output, left, self.shape)

    def on_grid(self, values: Tensor) -> Tensor:
        """``(B, T', T + 1)``; minus infinity at all other nodes."""
        empty = values.new_full((math.prod(self.shape),), -math.inf)
        return empty.index_put((self.place,), values).view(self.shape)


def wanted(nodes: Tensor, near: Tensor | None) -> Tensor:
    """``(B, T', T + 1)``: the nodes, only those that are near if that is known.

    Args:
        nodes: of the grid.
        near: the same with more padding; None for everywhere.
    """
    return nodes if near is None else nodes & near[:, : nodes.shape[1], : nodes.shape[2]]
