"""From encoded inputs to outputs: the best few, with their probabilities."""

import math
from typing import NamedTuple, TypedDict

import torch

from segtopic.swan.beam import Beams, BeamSearch
from segtopic.swan.emission import EmissionNetwork
from segtopic.swan.encoder import Encoded


class Hypothesis(NamedTuple):
    """An output sequence and its log probability, summed over the paths that were searched."""

    outputs: tuple[int, ...]
    log_probability: float


class SearchWishes(TypedDict, total=False):
    """How outputs are searched; what is left out is greedy search for the best one.

    Attributes:
        beam: candidates that go on from one input to the next.
        local_beam: segments that are searched at one input; as many as ``beam`` if not given.
        merge: whether candidates with equal outputs become one; they do if it is not given.
        n_best: outputs of each sequence, at most ``beam``.
    """

    beam: int
    local_beam: int | None
    merge: bool
    n_best: int


def decoded(
    encoded: Encoded,
    network: EmissionNetwork,
    *,
    beam: int = 1,
    local_beam: int | None = None,
    merge: bool = True,
    n_best: int = 1,
) -> list[list[Hypothesis]]:
    """The best outputs of each sequence by a new search, best first; see :class:`SearchWishes`."""
    return search(encoded, BeamSearch(network, beam, local_beam, merge), n_best)


@torch.no_grad()
def search(encoded: Encoded, decoder: BeamSearch, n_best: int = 1) -> list[list[Hypothesis]]:
    """The best outputs of each sequence, best first; ``n_best`` of them or as many as there are.

    Args:
        encoded: the vectors and lengths of ``N`` sequences.
        decoder: the search.
        n_best: at most the decoder's beam.
    """
    by_input = decoder.segments.by_input(encoded.vectors)
    # The longest first, so that those still under way are always the first ones.
    order = encoded.lengths.argsort(descending=True, stable=True)
    under_way, beams = len(order), decoder.start(len(order))
    found: dict[int, list[Hypothesis]] = {}
    for step in range(int(encoded.lengths.max()) + 1 if len(order) else 0):
        still = int((encoded.lengths > step).sum())
        ended = _listed(beams.part(still, under_way), n_best)
        found.update(zip(order[still:under_way].tolist(), ended, strict=True))
        under_way, beams = still, beams.part(0, still)
        if still:
            beams = decoder.advance(beams, by_input[order[:still], step])
    return [found[number] for number in range(len(order))]


def _listed(beams: Beams, n_best: int) -> list[list[Hypothesis]]:
    columns = (beams.scores, beams.outputs, beams.lengths)
    return [
        [
            Hypothesis(tuple(symbols[:length]), score)
            for score, symbols, length in zip(*sequence, strict=True)
            if score > -math.inf
        ][:n_best]
        for sequence in zip(*(column.tolist() for column in columns), strict=True)
    ]
