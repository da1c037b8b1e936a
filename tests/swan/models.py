"""Tiny models with random weights, and everything that they can say."""

import math
from itertools import product

import torch

from segtopic.swan import PairBatch, RecurrentEncoder, SwanModel, SwanSettings

TINY = {"units": 4, "segment_units": 5, "embedding": 3, "layers": 1, "dropout": 0.0}


def tiny_model(n_inputs=3, n_outputs=2, seed=0, sharpness=3.0, kind=SwanModel, **settings):
    torch.manual_seed(seed)
    chosen = SwanSettings(**{**TINY, **settings})
    model = kind(chosen, RecurrentEncoder(chosen, n_symbols=n_inputs), n_outputs).double()
    with torch.no_grad():
        for weight in model.parameters():
            weight *= sharpness  # so that the distributions are far from uniform
    return model.eval()


def batch_of(*pairs):
    """A padded batch of ``(inputs, outputs)``, tuples of numbers."""
    columns = []
    for sequences in zip(*pairs, strict=True):
        longest = max(len(sequence) for sequence in sequences)
        rows = [[*sequence, *[0] * (longest - len(sequence))] for sequence in sequences]
        columns.append(torch.tensor(rows, dtype=torch.long).view(len(rows), longest))
        columns.append(torch.tensor([len(sequence) for sequence in sequences]))
    return PairBatch(*columns)


def everything(model, inputs, n_outputs=2):
    """The log probability of every output sequence that is possible, best first."""
    longest = model.settings.max_segment_length * len(inputs)
    outputs = [y for length in range(longest + 1) for y in product(range(n_outputs), repeat=length)]
    with torch.no_grad():
        found = model.log_likelihood(batch_of(*[(inputs, y) for y in outputs])).tolist()
    possible = [(y, score) for y, score in zip(outputs, found, strict=True) if score > -math.inf]
    return dict(sorted(possible, key=lambda item: -item[1]))
