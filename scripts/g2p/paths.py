"""What the paths through words look like: segments, and how much there is to merge."""

import math
from collections.abc import Iterator
from typing import Any

import torch

from g2p.data import Data
from g2p.experiments import is_possible
from segtopic.lattice import grid_posteriors
from segtopic.swan.alignment import alignments
from segtopic.swan.batches import padded
from segtopic.swan.decode import Hypothesis
from segtopic.swan.model import SwanModel
from segtopic.swan.pairs import pairs_of

AT_ONCE = 256


@torch.no_grad()
def segment_figures(model: SwanModel, data: Data) -> dict[str, Any]:
    """How many phonemes a letter emits, expected over all paths of the right outputs.

    ``best_path_share`` is the posterior probability of the best path, a mean over the pairs.
    """
    possible = [pair for pair in pairs_of(data.test) if is_possible(model, pair)]
    counts = torch.zeros(model.settings.max_segment_length + 1, dtype=torch.float64)
    shares = []
    for batch in data.numbered(possible).in_order(AT_ONCE):
        scored = model.score(batch)
        counts += grid_posteriors(*scored).double().sum((0, 1, 2))
        shares += [math.exp(a.log_probability - a.log_likelihood) for a in alignments(*scored)]
    sizes = torch.arange(len(counts))
    return {
        "share_by_length": [round(float(share), 4) for share in counts / counts.sum()],
        "mean_length_not_empty": round(float((counts * sizes).sum() / counts[1:].sum()), 4),
        "best_path_share": round(math.fsum(shares) / len(shares), 4),
    }


def merging_figures(model: SwanModel, data: Data, beam: int) -> dict[str, Any]:
    """What merging would find among the candidates of a search that does not merge, in percent.

    On the development words: a sixth of the test words is enough to tell.

    Returns:
        ``words_with_repeats``: words that have two candidates with equal outputs at the end.
        ``repeats``: candidates whose outputs a better one has too.
        ``added``: what the repeats of the best candidate add to its probability, on average.
    """
    words = candidates = repeats = with_repeats = 0
    added = 0.0
    for hypotheses in _unmerged(model, data, beam):
        different = {each.outputs for each in hypotheses}
        words += 1
        candidates += len(hypotheses)
        repeats += len(hypotheses) - len(different)
        with_repeats += len(different) < len(hypotheses)
        best = hypotheses[0]
        equal = [h.log_probability for h in hypotheses[1:] if h.outputs == best.outputs]
        added += sum(math.exp(score - best.log_probability) for score in equal)
    return {
        "words_with_repeats": round(100 * with_repeats / words, 2),
        "repeats": round(100 * repeats / candidates, 2),
        "added": round(100 * added / words, 4),
    }


def _unmerged(model: SwanModel, data: Data, beam: int) -> Iterator[list[Hypothesis]]:
    inputs = sorted(data.references(data.development).inputs, key=len)
    for begin in range(0, len(inputs), AT_ONCE):
        some = padded(inputs[begin : begin + AT_ONCE])
        yield from model.decode(*some, beam=beam, merge=False, n_best=beam)
