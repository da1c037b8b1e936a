"""Outputs while the inputs still arrive: for encoders that look back only.

>>> # stream = SwanStream(model, beam=1)
>>> # for some in arriving: print(stream.push(some))
>>> # print(stream.finish())
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.errors import ConfigError
from segtopic.swan.beam import BeamSearch
from segtopic.swan.encoder import RecurrentEncoder, joined
from segtopic.swan.model import SwanModel


class EncoderStream:
    """The vectors of one sequence, as its inputs arrive: the same as of the whole sequence.

    Args:
        encoder: with ``direction: forward``.
    """

    def __init__(self, encoder: RecurrentEncoder) -> None:
        if encoder.both:
            raise ConfigError(
                "an encoder that reads in both directions cannot start before the input ends; "
                "train with direction 'forward'"
            )
        self.encoder = encoder
        self._unjoined: list[Tensor | None] = [None, None]  # before the layers and after them
        self._before: Tensor | None = None  # (1, window - 1, F): what the convolution still sees
        self._states: list[Tensor | None] = [None] * len(encoder.layers)
        self._left_over = [0] * len(encoder.layers)  # inputs since the last that a stride took

    @torch.no_grad()
    def read(self, inputs: Tensor) -> Tensor:
        """``(n,)`` symbols or ``(n, F)`` features to ``(m, D)``, the vectors that are complete."""
        encoder = self.encoder
        vectors = (inputs if encoder.embedding is None else encoder.embedding(inputs))[None]
        vectors = self._joined(0, vectors, encoder.first_stride)
        if encoder.convolution is not None:
            vectors = self._convolved(vectors)
        for number, (stride, layer) in enumerate(zip(encoder.strides, encoder.layers, strict=True)):
            assert isinstance(layer, nn.GRU)
            if not vectors.shape[1]:
                return vectors.new_zeros(0, encoder.width)
            vectors, self._states[number] = layer(vectors, self._states[number])
            first = stride - 1 - self._left_over[number]
            self._left_over[number] = (self._left_over[number] + vectors.shape[1]) % stride
            vectors = vectors[:, first::stride]
        if encoder.joining is not None:
            vectors = self._joined(1, vectors, encoder.last_stride)
            vectors = F.relu(encoder.joining(vectors))
        return vectors[0]

    def _joined(self, number: int, vectors: Tensor, stride: int) -> Tensor:
        """Each few as one; what is not enough yet waits for more."""
        waiting = self._unjoined[number]
        if waiting is not None:
            vectors = torch.cat([waiting, vectors], dim=1)
        whole = vectors.shape[1] // stride * stride
        self._unjoined[number] = vectors[:, whole:]
        length = torch.tensor([vectors.shape[1]])
        return joined(vectors, length, stride)[0]

    def _convolved(self, vectors: Tensor) -> Tensor:
        assert self.encoder.convolution is not None
        if self._before is None:
            self._before = vectors.new_zeros(1, self.encoder.window - 1, vectors.shape[2])
        seen = torch.cat([self._before, vectors], dim=1)
        self._before = seen[:, len(seen[0]) - self.encoder.window + 1 :]
        if not vectors.shape[1]:
            return vectors.new_zeros(1, 0, self.encoder.convolution.out_channels)
        return F.relu(self.encoder.convolution(seen.transpose(1, 2))).transpose(1, 2)


class SwanStream:
    """Decoding of one sequence while it arrives.

    Args:
        model: with an encoder that looks back only.
        beam: candidates that are kept; with one, every output is final at once.
    """

    def __init__(self, model: SwanModel, beam: int = 1) -> None:
        if not isinstance(model.encoder, RecurrentEncoder):
            raise ConfigError(
                "only the package's own encoder reads streams; give the vectors of another one "
                "to BeamSearch.advance as they come"
            )
        self.decoder = BeamSearch(model.segments, beam)
        self._encoder = EncoderStream(model.encoder)
        self._beams = self.decoder.start(1)
        self._told = 0

    @torch.no_grad()
    def push(self, inputs: Tensor) -> tuple[int, ...]:
        """More inputs, ``(n,)`` or ``(n, F)``; returns the outputs that are now final.

        Those are the ones on which all candidates agree.
        """
        for by_input in self.decoder.segments.by_input(self._encoder.read(inputs)):
            self._beams = self.decoder.advance(self._beams, by_input[None])
        candidates = self._candidates()
        agreed = 0
        for symbols in zip(*candidates, strict=False):
            if len(set(symbols)) > 1:
                break
            agreed += 1
        told, self._told = self._told, max(self._told, agreed)
        return candidates[0][told : self._told]

    def finish(self) -> tuple[int, ...]:
        """The input has ended; returns the rest of the best outputs."""
        rest = self._candidates()[0][self._told :]
        self._told += len(rest)
        return rest

    def _candidates(self) -> list[tuple[int, ...]]:
        beams = self._beams
        return [
            tuple(outputs[:length])
            for score, outputs, length in zip(
                beams.scores[0].tolist(),
                beams.outputs[0].tolist(),
                beams.lengths[0].tolist(),
                strict=True,
            )
            if score > float("-inf")
        ]
