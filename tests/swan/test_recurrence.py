"""The recurrent layers of the encoder against torch's own: values and gradients."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from segtopic.swan.encoder import run_layer
from segtopic.swan.recurrence import recurrence


def packed(layer, vectors, lengths):
    """As torch does it: the padding is packed away."""
    packed = nn.utils.rnn.pack_padded_sequence(
        vectors, lengths, batch_first=True, enforce_sorted=False
    )
    states, _ = nn.utils.rnn.pad_packed_sequence(
        layer(packed)[0], batch_first=True, total_length=vectors.shape[1]
    )
    return states


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.booleans(), st.integers(0, 99))
def test_a_layer_is_torchs(lengths, both, seed):
    torch.manual_seed(seed)
    layer = nn.GRU(3, 4, batch_first=True, bidirectional=both).double()
    lengths = torch.tensor(lengths)
    vectors = torch.randn(len(lengths), int(lengths.max()), 3, dtype=torch.float64)
    vectors.requires_grad_()
    ours, theirs = run_layer(layer, vectors, lengths), packed(layer, vectors, lengths)
    torch.testing.assert_close(ours, theirs)
    direction, wanted = torch.randn_like(ours), [vectors, *layer.parameters()]
    torch.testing.assert_close(
        torch.autograd.grad((ours * direction).sum(), wanted),
        torch.autograd.grad((theirs * direction).sum(), wanted),
    )


def test_gradients_are_those_of_small_steps():
    torch.manual_seed(0)
    gates = torch.randn(4, 2, 3, 6, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(2, 6, 2, dtype=torch.float64, requires_grad=True)
    bias = torch.randn(2, 6, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(recurrence, (gates, weight, bias))


def test_narrow_products_are_near():
    torch.manual_seed(0)
    gates, weight, bias = torch.randn(5, 2, 3, 24), torch.randn(2, 24, 8), torch.randn(2, 24)
    parts = [each.requires_grad_() for each in (gates, weight, bias)]
    wide = recurrence(*parts)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        narrow = recurrence(*parts)
    assert narrow.dtype == torch.float32
    torch.testing.assert_close(narrow, wide, atol=0.1, rtol=0)
    found = torch.autograd.grad(narrow.sum(), parts)
    expected = torch.autograd.grad(wide.sum(), parts)
    for one, other in zip(found, expected, strict=True):
        assert float((one - other).norm() / other.norm()) < 0.1
