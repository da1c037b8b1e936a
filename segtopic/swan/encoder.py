"""Input sequences to one vector for each input, or for each few of them.

A caller's own encoder is any module of the form of :class:`Encoder`.
"""

from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from segtopic.config import SwanSettings
from segtopic.swan.dropout import SequenceDropout


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
    """Embedding or features, a temporal convolution, then gated recurrent layers with strides.

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
        entering = settings.embedding if n_symbols else n_features
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
        self.dropout = SequenceDropout(settings.dropout)

    def n_vectors(self, n_inputs: int) -> int:
        """How many vectors the strides leave."""
        for stride in self.strides:
            n_inputs //= stride
        return n_inputs

    def forward(self, inputs: Tensor, lengths: Tensor) -> Encoded:
        """One vector for each input that the strides leave."""
        vectors = inputs if self.embedding is None else self.embedding(inputs)
        if self.convolution is not None:
            vectors = self._convolved(vectors, lengths)
        for stride, layer in zip(self.strides, self.layers, strict=True):
            assert isinstance(layer, nn.GRU)
            vectors = _run(layer, self.dropout(vectors), lengths)
            if stride > 1:
                # The last of each few: it has seen the others.
                vectors, lengths = vectors[:, stride - 1 :: stride], lengths // stride
        return Encoded(vectors, lengths)

    def _convolved(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        assert self.convolution is not None
        inside = torch.arange(vectors.shape[1], device=lengths.device) < lengths[:, None]
        vectors = vectors.masked_fill(~inside[:, :, None], 0)
        edges = (self.window - 1 - self.look_ahead, self.look_ahead)
        convolved: Tensor = self.convolution(F.pad(vectors.transpose(1, 2), edges))
        return F.relu(convolved).transpose(1, 2)


def _run(layer: nn.GRU, vectors: Tensor, lengths: Tensor) -> Tensor:
    """A layer over sequences of different lengths; the padding becomes zero."""
    if vectors.shape[1] == 0:
        return vectors.new_zeros(len(vectors), 0, layer.hidden_size * (1 + layer.bidirectional))
    # Packing takes no empty sequence; one input of an empty sequence is read and thrown away.
    packed = pack_padded_sequence(
        vectors, lengths.clamp(min=1).cpu(), batch_first=True, enforce_sorted=False
    )
    states, _ = pad_packed_sequence(
        layer(packed)[0], batch_first=True, total_length=vectors.shape[1]
    )
    return states
