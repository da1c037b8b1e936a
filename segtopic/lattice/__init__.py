"""Exact dynamic programmes over all segmentations: pure functions of scores and lengths.

Segmentations of one sequence are here; those between two, inputs and outputs, in
:mod:`segtopic.lattice.grids`, whose functions are at hand here too. Nothing here knows of topics,
documents or networks; it is the paper's standalone loss function (section 3.1). The functions of
spans take ``scores``, ``(N, L)``, and :class:`Spans`; see the package docstring for the shapes.

>>> import torch
>>> spans = Spans.from_lengths([3])
>>> scores = torch.tensor([[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])  # words 1-2 like to be together
>>> best = viterbi(scores, spans)
>>> best.ends.tolist(), best.scores.tolist()
([False, True, True], [1.0])
>>> boundary_probabilities(segment_posteriors(scores, spans), spans).tolist()  # doctest: +ELLIPSIS
[0.42..., 0.78..., 1.0]
"""

from segtopic.lattice.constraints import constrain
from segtopic.lattice.decode import Best, k_best, sample_segmentations, viterbi
from segtopic.lattice.grids import (
    BestPath,
    Grid,
    best_path,
    emission_probabilities,
    expected_lengths,
    grid_log_partition,
    grid_posteriors,
    mean_segment_length,
    path_score,
    sample_paths,
)
from segtopic.lattice.marks import (
    Marks,
    best_marks,
    best_threshold,
    core_posteriors,
    together_probabilities,
)
from segtopic.lattice.partition import (
    boundary_probabilities,
    expected_segment_length,
    expected_segments,
    log_partition,
    segment_posteriors,
    segmentation_entropy,
)
from segtopic.lattice.segmentation import segment_lengths, segmentation_score
from segtopic.lattice.spans import Spans

__all__ = [
    "Best",
    "BestPath",
    "Grid",
    "Marks",
    "Spans",
    "best_marks",
    "best_path",
    "best_threshold",
    "boundary_probabilities",
    "constrain",
    "core_posteriors",
    "emission_probabilities",
    "expected_lengths",
    "expected_segment_length",
    "expected_segments",
    "grid_log_partition",
    "grid_posteriors",
    "k_best",
    "log_partition",
    "mean_segment_length",
    "path_score",
    "sample_paths",
    "sample_segmentations",
    "segment_lengths",
    "segment_posteriors",
    "segmentation_entropy",
    "segmentation_score",
    "together_probabilities",
    "viterbi",
]
