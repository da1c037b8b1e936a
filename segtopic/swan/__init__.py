"""Sequences in, sequences out, segments between: the paper's Sleep-Wake Networks (section 2.2).

``p(y | x) = sum over segmentations of y into one segment, maybe empty, for each input``
of the product of ``p(segment | input, all outputs before it)``.

- :class:`SwanLoss` is for those who have an encoder: vectors and targets in, a loss out.
- :class:`SwanModel` is an encoder and the segment network: likelihoods, decoding, alignments.
- :mod:`segtopic.swan.training` trains it on pairs (Lightning is imported there only).

Letters in shape comments: ``B`` pairs, ``T'`` inputs, ``T`` outputs, ``L`` longest segment,
``V`` output symbols, ``D`` width of the encoder's vectors, ``H`` units of the segment network,
``R`` nodes of the grid.
"""

from segtopic.config import SwanSettings
from segtopic.swan.alignment import Alignment
from segtopic.swan.beam import BeamSearch
from segtopic.swan.decode import Hypothesis
from segtopic.swan.encoder import Encoded, RecurrentEncoder
from segtopic.swan.loss import SwanLoss
from segtopic.swan.model import SwanModel
from segtopic.swan.sequence_model import PairBatch
from segtopic.swan.stream import SwanStream

__all__ = [
    "Alignment",
    "BeamSearch",
    "Encoded",
    "Hypothesis",
    "PairBatch",
    "RecurrentEncoder",
    "SwanLoss",
    "SwanModel",
    "SwanSettings",
    "SwanStream",
]
