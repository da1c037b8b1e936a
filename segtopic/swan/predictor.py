"""A trained model with its symbols: sequences of symbols in, sequences of symbols out.

This is what a command or an estimator talks to; numbers and tensors stay inside.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch

from segtopic.errors import CorpusError
from segtopic.swan.batches import NumberedPairs, padded
from segtopic.swan.error_rates import ErrorCounts, count_errors
from segtopic.swan.model import SwanModel
from segtopic.swan.pairs import Entry, Pair, Symbols
from segtopic.swan.symbols import SymbolTable

AT_ONCE, MOST_SYMBOLS = 256, 16_384  # of a batch, with its padding


class Prediction(NamedTuple):
    """An output sequence and the probability that was found for it."""

    outputs: Symbols
    probability: float


class AlignedPair(NamedTuple):
    """Which input emits which outputs.

    Attributes:
        segments: an input and its outputs, for each input.
        probability: of this path among all paths of the pair.
        log_likelihood: of the outputs.
        posteriors: for each input, the probability of its segment among all paths.
    """

    segments: tuple[tuple[str, Symbols], ...]
    probability: float
    log_likelihood: float
    posteriors: tuple[float, ...]

    def __str__(self) -> str:
        """``N:N A:AO U:_ S:SH``; an underscore for nothing, plus signs within a segment."""
        return " ".join(f"{symbol}:{'+'.join(outputs) or '_'}" for symbol, outputs in self.segments)


class SwanPredictor:
    """Decoding and alignment in symbols.

    Args:
        model: trained; it is put into evaluation mode.
        inputs: symbols of the inputs.
        outputs: symbols of the outputs.
    """

    def __init__(self, model: SwanModel, inputs: SymbolTable, outputs: SymbolTable) -> None:
        self.model = model.eval()
        self.inputs = inputs
        self.outputs = outputs

    def predict(
        self,
        sequences: Sequence[Sequence[str]],
        *,
        beam: int = 5,
        n_best: int = 1,
        local_beam: int | None = None,
        merge: bool = True,
    ) -> list[list[Prediction]]:
        """The best outputs of each sequence, best first.

        An unknown symbol or an empty sequence is an error that names it.
        """
        for place, sequence in enumerate(sequences, start=1):
            if not len(sequence):
                raise CorpusError(f"sequence {place} is empty; leave it out")
        numbered = [torch.tensor(self.inputs.numbers(sequence)) for sequence in sequences]
        found: list[list[Prediction]] = [[] for _ in numbered]
        for some in by_length([len(sequence) for sequence in numbered]):
            decoded = self.model.decode(
                *padded([numbered[place] for place in some]),
                beam=beam,
                n_best=n_best,
                local_beam=local_beam,
                merge=merge,
            )
            for place, hypotheses in zip(some, decoded, strict=True):
                found[place] = [
                    Prediction(self.outputs.names(h.outputs), math.exp(h.log_probability))
                    for h in hypotheses
                ]
        return found

    def align(self, pairs: Sequence[Pair]) -> list[AlignedPair]:
        """The best path of each pair; an impossible pair is an error that names it."""
        numbered = NumberedPairs.of(pairs, self.inputs, self.outputs)
        found: dict[int, AlignedPair] = {}
        for some in by_length([len(pair.inputs) for pair in pairs]):
            for place, alignment in zip(some, self.model.align(numbered.batch(some)), strict=True):
                pair = Pair(*pairs[place])
                if alignment.log_likelihood == -math.inf:
                    longest = self.model.settings.max_segment_length
                    raise CorpusError(
                        f"pair {place + 1} ({' '.join(pair.inputs)}) has {len(pair.outputs)} "
                        f"outputs, but {len(pair.inputs)} inputs emit at most {longest} each; "
                        f"leave it out, or train with a larger max_segment_length"
                    )
                rest = iter(pair.outputs)
                segments = tuple(
                    (symbol, tuple(next(rest) for _ in range(length)))
                    for symbol, length in zip(
                        self._emitters(pair.inputs), alignment.lengths, strict=True
                    )
                )
                share = math.exp(alignment.log_probability - alignment.log_likelihood)
                found[place] = AlignedPair(
                    segments, share, alignment.log_likelihood, alignment.posteriors
                )
        return [found[place] for place in range(len(pairs))]

    def _emitters(self, inputs: Symbols) -> list[str]:
        """What emits a segment: each input, or the few that strides make one of."""
        together = self.model.settings.stride
        whole = self.model.encoder.n_vectors(len(inputs)) * together
        return ["+".join(inputs[at : at + together]) for at in range(0, whole, together)]

    def errors(self, entries: Sequence[Entry], *, beam: int = 5) -> ErrorCounts:
        """How wrong the best outputs are."""
        predicted = self.predict([entry.inputs for entry in entries], beam=beam)
        best = [predictions[0].outputs for predictions in predicted]
        return count_errors(best, [entry.references for entry in entries])


def by_length(lengths: Sequence[int], most_symbols: int = MOST_SYMBOLS) -> Iterator[list[int]]:
    """Places of sequences of like lengths, as many at a time as memory has room for."""
    some: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: lengths[place]):
        if some and (len(some) == AT_ONCE or (len(some) + 1) * lengths[place] > most_symbols):
            yield some
            some = []
        some.append(place)
    if some:
        yield some
