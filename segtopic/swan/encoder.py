"""Input sequences to one vector for each input, or for each few of them.

A caller's own encoder is any module of the form of :class:`Encoder`.

Recurrent layers read the padding too instead of packing it away: each direction starts at a
sequence's own first or last input, so the padding comes after all that counts. That takes half the
time of packed sequences.
"""

from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.config import SwanSettings
from segtopic.swan.augment import Augment
from segtopic.swan.dropout import SequenceDropout
from segtopic.swan.recurrence import recurrence


class Encoded(NamedTuple):
    """What an encoder makes of a batch of inputs."""

    vectors: Tensor  # (B, T', D)
    lengths: Tensor  # (B,)


class Encoder(Protocol):
    """What a model asks of its encoder."""

    width: int

    def n_vectors(self, n_inputs: int) -> int:
        """How many vectors it makes of so many inputs."""
        ...

    def __call__(self, inputs: Tensor, lengths: Tensor) -> Encoded:
        """``(B, T'')`` symbols or ``(B, T'', F)`` features, and how many of them count."""
        ...


class RecurrentEncoder(nn.Module):
    """Embedding or features, a temporal convolution, gated recurrent layers with strides.

    ``first_stride`` inputs are joined to one before all else, ``last_stride`` vectors after the
    last layer (the paper's temporal convolution, as wide as its stride).

    Args:
        settings: of the network.
        n_symbols: of the inputs; 0 if they are features.
        n_features: numbers in each input; 0 if the inputs are symbols.
    """

    def __init__(self, settings: SwanSettings, n_symbols: int = 0, n_features: int = 0) -> None:
        super().__init__()
        if (n_symbols > 0) == (n_features > 0):
            raise ValueError("an encoder reads either symbols or features: give the number of one")
        both = settings.direction == "both"
        self.embedding = nn.Embedding(n_symbols, settings.embedding) if n_symbols else None
        self.n_features = n_features
        self.first_stride = settings.first_stride
        self.augment = Augment(settings) if n_features else None
        entering = (settings.embedding if n_symbols else n_features) * settings.first_stride
        self.both = both
        self.window = settings.window
        # A causal convolution looks back only, so that a stream does not have to wait.
        self.look_ahead = (settings.window - 1) // 2 if both else 0
        self.convolution = (
            nn.Conv1d(entering, settings.units, settings.window) if settings.window > 1 else None
        )
        self.strides = settings.strides
        self.width = settings.units * (2 if both else 1)
        widths = [settings.units if self.convolution is not None else entering]
        widths += [self.width] * (settings.layers - 1)
        self.layers = nn.ModuleList(
            nn.GRU(width, settings.units, batch_first=True, bidirectional=both) for width in widths
        )
        self.last_stride = settings.last_stride
        self.joining = (
            nn.Linear(self.width * settings.last_stride, self.width)
            if settings.last_stride > 1
            else None
        )
        self.dropout = SequenceDropout(settings.dropout)

    def n_vectors(self, n_inputs: int) -> int:
        """How many vectors the strides leave."""
        for stride in (self.first_stride, *self.strides, self.last_stride):
            n_inputs //= stride
        return n_inputs

    def forward(self, inputs: Tensor, lengths: Tensor) -> Encoded:
        """One vector for each input that the strides leave."""
        if self.augment is not None:
            inputs, lengths = self.augment(inputs, lengths)
        vectors = inputs if self.embedding is None else self.embedding(inputs)
        vectors, lengths = joined(vectors, lengths, self.first_stride)
        if self.convolution is not None:
            vectors = self._convolved(vectors, lengths)
        for stride, layer in zip(self.strides, self.layers, strict=True):
            assert isinstance(layer, nn.GRU)
            vectors = run_layer(layer, self.dropout(vectors), lengths)
            if stride > 1:
                # The last of each few: it has seen the others.
                vectors, lengths = vectors[:, stride - 1 :: stride], lengths // stride
        if self.joining is not None:
            vectors, lengths = joined(self.dropout(vectors), lengths, self.last_stride)
            vectors = F.relu(self.joining(vectors))
        return Encoded(vectors, lengths)

    def _convolved(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        assert self.convolution is not None
        if not vectors.shape[1]:
            return vectors.new_zeros(len(vectors), 0, self.convolution.out_channels)
        inside = torch.arange(vectors.shape[1], device=lengths.device) < lengths[:, None]
        vectors = vectors.masked_fill(~inside[:, :, None], 0)
        edges = (self.window - 1 - self.look_ahead, self.look_ahead)
        convolved: Tensor = self.convolution(F.pad(vectors.transpose(1, 2), edges))
        return F.relu(convolved).transpose(1, 2)


def joined(vectors: Tensor, lengths: Tensor, stride: int) -> tuple[Tensor, Tensor]:
    """``(B, T, D)`` to ``(B, T // s, s D)``: each few as one; what is left over at the end goes."""
    if stride == 1:
        return vectors, lengths
    whole = vectors.shape[1] // stride
    few = vectors[:, : whole * stride].reshape(len(vectors), whole, stride * vectors.shape[2])
    return few, lengths // stride


def run_layer(layer: nn.GRU, vectors: Tensor, lengths: Tensor) -> Tensor:
    """A layer over sequences of different lengths; the padding becomes zero."""
    if vectors.shape[1] == 0:
        return vectors.new_zeros(len(vectors), 0, layer.hidden_size * (1 + layer.bidirectional))
    place = torch.arange(vectors.shape[1], device=lengths.device)
    inside = place < lengths[:, None]  # (B, T)
    read = [vectors]
    if layer.bidirectional:
        backwards = torch.where(inside, lengths[:, None] - 1 - place, place)[:, :, None]
        read.append(vectors.gather(1, backwards.expand_as(vectors)))
    suffixes = ("", "_reverse")[: len(read)]
    gates = [
        F.linear(
            each.transpose(0, 1),
            getattr(layer, f"weight_ih_l0{suffix}"),
            getattr(layer, f"bias_ih_l0{suffix}"),
        )
        for each, suffix in zip(read, suffixes, strict=True)
    ]
    weight, bias = (
        torch.stack([getattr(layer, f"{name}_hh_l0{suffix}") for suffix in suffixes])
        for name in ("weight", "bias")
    )
    states = recurrence(torch.stack(gates, dim=1).to(weight.dtype), weight, bias)
    found = list(states.permute(1, 2, 0, 3))  # (B, T, H) of each direction
    if layer.bidirectional:
        found[1] = found[1].gather(1, backwards.expand_as(found[1]))
    return torch.cat(found, dim=-1).masked_fill(~inside[:, :, None], 0)
