"""The beam search of CTC against every path there is, and against torch's loss."""

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from segtopic.config import SwanSettings
from segtopic.swan.ctc import CtcModel
from segtopic.swan.encoder import RecurrentEncoder
from segtopic.swan.guide import Guide
from segtopic.swan.prefix_beam import prefix_search

N_SYMBOLS = 2


def distributions(n_inputs, seed, sharpness=1.0):
    logits = sharpness * np.random.default_rng(seed).normal(size=(n_inputs, N_SYMBOLS + 1))
    return logits - np.log(np.exp(logits).sum(1, keepdims=True))


def by_enumeration(rows):
    """The probability of every output, by adding up all paths that say it."""
    found = defaultdict(float)
    for path in itertools.product(range(N_SYMBOLS + 1), repeat=len(rows)):
        outputs = tuple(s for s, _ in itertools.groupby(path) if s != N_SYMBOLS)
        found[outputs] += math.exp(sum(row[symbol] for row, symbol in zip(rows, path, strict=True)))
    return found


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 5), st.integers(0, 1000))
def test_a_wide_beam_is_exact(n_inputs, seed):
    rows = distributions(n_inputs, seed)
    expected = by_enumeration(rows)
    found = prefix_search(rows, N_SYMBOLS, beam=1000, n_best=1000)
    assert {each.outputs for each in found} == set(expected)
    for outputs, log_probability in found:
        assert math.exp(log_probability) == pytest.approx(expected[outputs])
    scores = [each.log_probability for each in found]
    assert scores == sorted(scores, reverse=True)
    assert sum(map(math.exp, scores)) == pytest.approx(1)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 1000))
def test_a_narrow_beam_never_says_too_much(n_inputs, beam, seed):
    """Its probabilities are at most the exact ones, and its outputs are all different."""
    rows = distributions(n_inputs, seed, sharpness=2.0)
    found = prefix_search(rows, N_SYMBOLS, beam, beam)
    assert 1 <= len(found) <= beam
    assert len({each.outputs for each in found}) == len(found)
    for outputs, log_probability in found:
        loss = F.ctc_loss(
            torch.from_numpy(rows)[:, None],
            torch.tensor([outputs]).long(),
            torch.tensor([n_inputs]),
            torch.tensor([len(outputs)]),
            blank=N_SYMBOLS,
            reduction="none",
        )
        assert log_probability <= -float(loss) + 1e-9


def test_the_best_path_is_not_always_the_best_output():
    """The blank is the best symbol of both inputs, but most paths say 0."""
    rows = np.log([[0.4, 0.01, 0.59], [0.4, 0.01, 0.59]])
    (best,) = prefix_search(rows, N_SYMBOLS, beam=3)
    assert best.outputs == (0,)
    assert math.exp(best.log_probability) == pytest.approx(0.4 * 0.4 + 2 * 0.4 * 0.59)


def test_a_beam_must_hold_something():
    with pytest.raises(ValueError, match="at least 1, got 0"):
        prefix_search(distributions(2, 0), N_SYMBOLS, beam=0)


def test_a_model_searches_alone_as_in_a_batch():
    torch.manual_seed(0)
    chosen = SwanSettings(units=4, embedding=3, layers=1, dropout=0.0)
    encoder = RecurrentEncoder(chosen, n_symbols=3)
    model = CtcModel(encoder, Guide(encoder.width, N_SYMBOLS)).double().eval()
    inputs, lengths = torch.tensor([[0, 1, 2, 1], [2, 0, 0, 0], [1, 1, 1, 0]]), [4, 0, 3]
    together = model.decode(inputs, torch.tensor(lengths), beam=5, n_best=3)
    for row, length, expected in zip(inputs, lengths, together, strict=True):
        (alone,) = model.decode(row[None, :length], torch.tensor([length]), beam=5, n_best=3)
        assert [each.outputs for each in alone] == [each.outputs for each in expected]
        assert [each.log_probability for each in alone] == pytest.approx(
            [each.log_probability for each in expected]
        )
