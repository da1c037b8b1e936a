"""The second loss, its alignment against every alignment there is, and the band around it."""

import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from segtopic.config import SwanSettings
from segtopic.errors import ConfigError
from segtopic.swan.encoder import RecurrentEncoder
from segtopic.swan.guide import begun_symbols
from segtopic.swan.model import SwanModel
from segtopic.swan.sequence_model import PairBatch

SMALL = {"embedding": 4, "units": 4, "layers": 1, "segment_units": 4, "dropout": 0.0}


def collapsed(path, blank):
    return tuple(symbol for symbol, _ in itertools.groupby(path) if symbol != blank)


def best_by_hand(distributions, outputs, blank):
    """The best path that says the outputs, as how many have begun before each input."""
    n_inputs, n_symbols = distributions.shape
    paths = [
        path
        for path in itertools.product(range(n_symbols), repeat=n_inputs)
        if collapsed(path, blank) == outputs
    ]
    if not paths:
        return None
    rows = torch.arange(n_inputs)
    best = max(paths, key=lambda path: float(distributions[rows, torch.tensor(path)].sum()))
    return [len(collapsed(best[:before], blank)) for before in range(n_inputs)]


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 5), st.lists(st.integers(0, 1), max_size=3), st.integers(0, 1000))
def test_the_alignment_is_the_best_of_all(n_inputs, outputs, seed):
    torch.manual_seed(seed)
    distributions = torch.randn(n_inputs, 3, dtype=torch.float64).log_softmax(-1)
    expected = best_by_hand(distributions, tuple(outputs), blank=2)
    # In a batch with a longer pair: padding of both sides does not count.
    both = torch.zeros(2, 7, 3, dtype=torch.float64).log_softmax(-1)
    both[0, :n_inputs] = distributions
    targets = torch.zeros(2, 4, dtype=torch.long)
    targets[0, : len(outputs)] = torch.tensor(outputs)
    found = begun_symbols(
        both, torch.tensor([n_inputs, 7]), targets, torch.tensor([len(outputs), 3]), blank=2
    )
    row = found[0].tolist()
    if expected is None:
        assert set(row) == {-1}
    else:
        assert row[:n_inputs] == expected


def model(**changes):
    torch.manual_seed(0)
    settings = SwanSettings(max_segment_length=2, ctc_weight=0.5, **SMALL, **changes)
    return SwanModel(settings, RecurrentEncoder(settings, n_features=3), 4).double()


def batch():
    torch.manual_seed(1)
    return PairBatch(
        torch.randn(3, 8, 3, dtype=torch.float64),
        torch.tensor([8, 6, 2]),
        torch.randint(4, (3, 4)),
        torch.tensor([4, 3, 3]),
    )


def test_a_wide_band_changes_nothing_and_a_narrow_one_only_takes_away():
    pairs = batch()
    exact = model().log_likelihood(pairs)
    wide = model(band=9).losses(pairs, 1.0).log_likelihoods
    torch.testing.assert_close(wide, exact)
    narrow = model(band=1).losses(pairs, 1.0).log_likelihoods
    assert (narrow <= exact + 1e-12).all()
    assert (narrow[:2] < exact[:2]).all()
    assert narrow.isfinite().all(), "also where the second loss has no alignment"


def test_both_losses_are_learned_after_the_first_phase():
    pairs = batch()
    guided = model(ctc_first=0.5)
    first, second = guided.losses(pairs, 0.2), guided.losses(pairs, 0.8)
    weighed = 0.5 * first.losses - second.log_likelihoods
    torch.testing.assert_close(second.losses, weighed)
    assert [guided.phase(share) for share in (0.0, 0.25, 0.5, 1.0)] == [0.0, 0.5, 0.0, 1.0]
    second.losses.sum().backward()
    assert all(weight.grad.isfinite().all() for weight in guided.parameters())


def test_the_first_phase_is_judged_by_what_it_learns():
    pairs = batch()
    guided = model(ctc_first=0.5).eval()
    assert guided.learned_at(0.5) is guided
    guide = guided.learned_at(0.49)
    assert not guide.training
    expected = guided.losses(pairs, 0.49).log_likelihoods
    possible = guide.log_likelihood(pairs) > -math.inf
    assert possible.tolist() == [True, True, False], "three outputs of two inputs"
    torch.testing.assert_close(guide.log_likelihood(pairs)[possible], expected[possible])


@pytest.mark.parametrize("name", ["band", "ctc_first"])
def test_a_band_needs_the_second_loss(name):
    with pytest.raises(ConfigError, match="no second loss"):
        SwanSettings(**{name: 0.5 if name == "ctc_first" else 3})


def test_history_that_is_misread_in_training_only():
    pairs = batch()
    noisy = model(history_noise=0.9)
    noisy.eval()
    torch.testing.assert_close(noisy.log_likelihood(pairs), model().log_likelihood(pairs))
    noisy.train()
    assert not torch.allclose(noisy.log_likelihood(pairs), model().log_likelihood(pairs))
    assert noisy.log_likelihood(pairs).isfinite().all()
