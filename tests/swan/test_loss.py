"""The loss under somebody else's encoder, and the encoder of the package."""

import doctest
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from segtopic.errors import ConfigError
from segtopic.swan import RecurrentEncoder, SwanLoss, SwanSettings, loss
from segtopic.swan.ctc import CtcModel
from segtopic.swan.guide import Guide, fewest_inputs
from segtopic.swan.model import SwanModel
from tests.swan.models import batch_of

SETTINGS = SwanSettings(segment_units=5, embedding=3, max_segment_length=2, dropout=0.0)


def test_docstring_example():
    assert doctest.testmod(loss).failed == 0


def new_loss(**wishes):
    torch.manual_seed(0)
    return SwanLoss(4, 3, SETTINGS, **wishes).double()


def arguments():
    torch.manual_seed(1)
    vectors = torch.randn(3, 4, 4, dtype=torch.float64)
    targets = torch.tensor([[0, 2, 1], [1, 1, -5], [2, 0, 1]])  # -5 is padding
    return vectors, targets, torch.tensor([4, 3, 1]), torch.tensor([3, 2, 3])


def test_reductions_are_those_of_ctc_loss():
    vectors, targets, n_inputs, n_outputs = arguments()
    each = new_loss(reduction="none")(vectors, targets, n_inputs, n_outputs)
    assert each[2] == math.inf  # three outputs of one input, at most two a segment
    finite = new_loss(reduction="none", zero_infinity=True)
    assert finite(vectors, targets, n_inputs, n_outputs)[2] == 0
    total = new_loss(reduction="sum", zero_infinity=True)(vectors, targets, n_inputs, n_outputs)
    torch.testing.assert_close(total, each[:2].sum())
    mean = new_loss(zero_infinity=True)(vectors, targets, n_inputs, n_outputs)
    torch.testing.assert_close(mean, (each[0] / 3 + each[1] / 2) / 3)


def test_gradients_reach_the_encoder_and_the_network_and_no_padding():
    vectors, targets, n_inputs, n_outputs = arguments()
    vectors.requires_grad_()
    network = new_loss(zero_infinity=True)
    network(vectors, targets, n_inputs, n_outputs).backward()
    assert vectors.grad[0].ne(0).all()
    assert vectors.grad[1, 3].eq(0).all()
    assert vectors.grad[2].eq(0).all()  # impossible
    assert all(weight.grad is not None for weight in network.parameters())


def test_decoding_and_alignment_of_foreign_vectors():
    vectors, targets, n_inputs, n_outputs = arguments()
    network = new_loss()
    decoded = network.decode(vectors, n_inputs, beam=3, n_best=2)
    assert [len(best) for best in decoded] == [2, 2, 2]
    aligned = network.align(vectors, targets, n_inputs, n_outputs)
    assert [sum(alignment.lengths) for alignment in aligned] == [3, 2, 0]
    assert [len(alignment.lengths) for alignment in aligned] == [4, 3, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({0: torch.zeros(3, 4, 5)}, r"vectors must have the shape \(3, 4, 4\)"),
        ({0: torch.zeros(3, 3, 4)}, r"or more padding, got \(3, 3, 4\)"),
        ({1: torch.zeros(3, 2).long()}, r"targets must have the shape \(3, 3\)"),
        ({1: torch.full((3, 3), 3)}, "numbers from 0 to 2, got 3"),
        ({2: torch.tensor([4, 3])}, "got 2 and 3 of them"),
    ],
)
def test_wrong_arguments_are_refused(change, message):
    given = list(arguments())
    for place, value in change.items():
        given[place] = value.double() if value.is_floating_point() else value
    with pytest.raises(ValueError, match=message):
        new_loss()(*given)


def test_unknown_reductions_are_refused():
    with pytest.raises(ValueError, match="'none', 'mean' or 'sum', got 'max'"):
        SwanLoss(4, 3, SETTINGS, reduction="max")


ENCODERS = [
    {},
    {"direction": "forward"},
    {"window": 5},
    {"window": 4, "strides": (2, 1)},
    {"strides": (1, 3)},
]


@pytest.mark.parametrize("settings", ENCODERS)
def test_encoders_ignore_padding_and_neighbours(settings):
    torch.manual_seed(0)
    chosen = SwanSettings(units=4, embedding=3, layers=2, dropout=0.0, **settings)
    encoder = RecurrentEncoder(chosen, n_symbols=5).double()
    inputs, lengths = torch.randint(5, (3, 9)), torch.tensor([9, 4, 7])
    together = encoder(inputs, lengths)
    factor = math.prod(chosen.strides)
    assert together.vectors.shape[2] == encoder.width
    for row, (symbols, length) in enumerate(zip(inputs, lengths, strict=True)):
        alone = encoder(symbols[None, :length], length[None])
        kept = int(together.lengths[row])
        assert kept == int(alone.lengths[0])
        if factor == 1:
            assert kept == length
        torch.testing.assert_close(together.vectors[row, :kept], alone.vectors[0, :kept])


def test_sequences_shorter_than_the_strides_have_no_vectors():
    chosen = SwanSettings(units=4, embedding=3, layers=2, strides=(2, 2), dropout=0.0)
    encoder = RecurrentEncoder(chosen, n_symbols=5)
    assert encoder(torch.zeros(2, 1).long(), torch.tensor([1, 1])).lengths.tolist() == [0, 0]


def test_features_instead_of_symbols():
    chosen = SwanSettings(units=4, layers=1, dropout=0.0)
    encoder = RecurrentEncoder(chosen, n_features=13)
    assert encoder(torch.randn(2, 6, 13), torch.tensor([6, 2])).vectors.shape == (2, 6, 8)
    with pytest.raises(ValueError, match="either symbols or features"):
        RecurrentEncoder(chosen, n_symbols=3, n_features=3)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_segment_length": 0}, "max_segment_length is 0, but must be at least 1"),
        ({"dropout": 1.0}, "dropout is 1.0, but must be at most"),
        ({"direction": "back"}, "direction is 'back'"),
        ({"strides": (2,)}, r"strides is \[2\], .* each of the 2 layers"),
        ({"strides": (0, 1)}, "at least 1"),
    ],
)
def test_impossible_settings_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        SwanSettings(**settings)


def test_the_peer_is_ctc():
    torch.manual_seed(0)
    chosen = SwanSettings(units=4, embedding=3, layers=1, dropout=0.0)
    encoder = RecurrentEncoder(chosen, n_symbols=3)
    model = CtcModel(encoder, Guide(encoder.width, n_symbols=2)).double()
    batch = batch_of(((0, 1, 2), (0, 1)), ((1, 0), (1, 1)))
    likelihood = model.log_likelihood(batch)
    vectors = model.encoder(batch.inputs, batch.input_lengths).vectors
    expected = F.ctc_loss(
        model.guide.symbols(vectors).log_softmax(-1).transpose(0, 1),
        batch.targets,
        batch.input_lengths,
        batch.target_lengths,
        blank=2,
        reduction="none",
    )
    torch.testing.assert_close(likelihood, -expected)
    assert likelihood[1] == -math.inf
    assert model._collapsed([0, 0, 2, 0, 1, 1, 2]) == (0, 0, 1)
    assert [len(best) for best in model.decode(batch.inputs, batch.input_lengths)] == [1, 1]


def test_what_became_too_short_is_not_learned():
    """A stretched sound may be too short for its outputs: no loss, and gradients of numbers."""
    torch.manual_seed(0)
    chosen = SwanSettings(units=4, embedding=3, layers=1, dropout=0.0, max_segment_length=1)
    encoder = RecurrentEncoder(chosen, n_symbols=3)
    possible, impossible = ((0, 1, 2), (1, 0)), ((0,), (1, 1))
    ctc = CtcModel(encoder, Guide(encoder.width, n_symbols=2))
    for model in (ctc, SwanModel(chosen, encoder, n_symbols=2)):
        losses, likelihoods = model.losses(batch_of(possible, impossible), 0.5)
        assert losses[1] == 0
        assert likelihoods[1] == -math.inf
        gradients = torch.autograd.grad(losses.sum(), list(model.parameters()), allow_unused=True)
        one = model.losses(batch_of(possible), 0.5).losses.sum()
        alone = torch.autograd.grad(one, list(model.parameters()), allow_unused=True)
        torch.testing.assert_close(gradients, alone)


@given(
    st.lists(st.integers(0, 1), max_size=4),
    st.integers(0, 2),
    st.integers(1, 5),
)
def test_the_peer_knows_what_is_impossible(outputs, padding, n_inputs):
    """As torch does, by an infinite loss."""
    targets = torch.tensor([outputs + [0] * padding]).long()
    lengths = torch.tensor([len(outputs)])
    losses = F.ctc_loss(
        torch.zeros(n_inputs, 1, 3).log_softmax(-1),
        targets,
        torch.tensor([n_inputs]),
        lengths,
        blank=2,
        reduction="none",
    )
    assert bool(losses.isinf()) == bool(fewest_inputs(targets, lengths) > n_inputs)
