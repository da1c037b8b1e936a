"""Dynamic programmes over two sequences: one segment of outputs, maybe empty, for each input.

The paper's section 3.1 as pure functions of scores and lengths, as ``ctc_loss`` is one. All take
``scores``, ``(B, T', T + 1, L + 1)``: at ``[b, t, j, l]`` the log score of input ``t`` emitting the
``l`` outputs after the first ``j``; and a :class:`Grid` that holds the lengths of both sequences.

>>> import torch
>>> grid = Grid.from_lengths([2], [2])
>>> scores = torch.zeros(1, 2, 3, 3)  # nothing is known: three paths, 2 + 0, 1 + 1, 0 + 2
>>> grid_log_partition(scores, grid).exp().tolist()  # doctest: +ELLIPSIS
[3.0...]
>>> scores[0, 0, 0, 2] = 1.0  # the first input likes to emit both
>>> best_path(scores, grid).lengths.tolist()
[[2, 0]]
>>> expected_lengths(grid_posteriors(scores, grid)).tolist()  # doctest: +ELLIPSIS
[[1.36..., 0.63...]]
"""

from segtopic.lattice.grids.grid import Grid
from segtopic.lattice.grids.partition import (
    emission_probabilities,
    expected_lengths,
    grid_log_partition,
    grid_posteriors,
    mean_segment_length,
)
from segtopic.lattice.grids.paths import BestPath, best_path, path_score, sample_paths

__all__ = [
    "BestPath",
    "Grid",
    "best_path",
    "emission_probabilities",
    "expected_lengths",
    "grid_log_partition",
    "grid_posteriors",
    "mean_segment_length",
    "path_score",
    "sample_paths",
]
