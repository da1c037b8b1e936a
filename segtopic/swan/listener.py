"""A trained model with all that is needed to listen: features in, transcripts with times out."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from segtopic.config import SearchConfig
from segtopic.speech.filterbanks import FilterBanks
from segtopic.speech.store import Normaliser
from segtopic.swan.alignment import Alignment
from segtopic.swan.batches import NumberedPairs, padded
from segtopic.swan.model import SwanModel
from segtopic.swan.pairs import Symbols
from segtopic.swan.predictor import by_length
from segtopic.swan.spoken import Utterance
from segtopic.swan.symbols import SymbolTable

FRAMES_AT_ONCE = 8_192
SHIFT = 0.01  # seconds, if somebody else has computed the features
REACH = 0.25  # seconds for each symbol, to either side of the input that emits it


class TimedSegment(NamedTuple):
    """What one input emits, and when.

    Attributes:
        symbols: one or more of them.
        begin: in seconds; half-way from the segment before, but not far before its input.
        end: half-way to the next segment, but not long after its input.
        at: the middle of the input that emits it.
        probability: among all paths, that this input emits exactly this.
    """

    symbols: Symbols
    begin: float
    end: float
    at: float
    probability: float


class Transcript(NamedTuple):
    """One way to write down a sound, with the probability that the search found for it."""

    symbols: Symbols
    probability: float
    segments: tuple[TimedSegment, ...]


class Heard(NamedTuple):
    """The best path of an utterance, given what is said in it."""

    segments: tuple[TimedSegment, ...]
    alignment: Alignment


@dataclass(frozen=True, eq=False)
class Listener:
    """A model, the symbols that it writes, and how sounds become its inputs.

    Attributes:
        model: in evaluation mode.
        outputs: symbols that it writes.
        level: 'characters', 'spaces' (words) or 'phones'.
        normaliser: of the training part.
        banks: how sounds become features; None if somebody else computed them.
    """

    model: SwanModel
    outputs: SymbolTable
    level: str
    normaliser: Normaliser
    banks: FilterBanks | None

    @property
    def seconds_per_vector(self) -> float:
        """Between two inputs that may emit a segment."""
        shift = self.banks.shift / 1000 if self.banks else SHIFT
        return shift * self.model.settings.stride

    def predict(
        self, inputs: Sequence[Tensor], search: SearchConfig, n_best: int = 1
    ) -> list[list[tuple[Symbols, float]]]:
        """The best outputs of normalised features with their log probabilities, best first."""
        found: list[list[tuple[Symbols, float]]] = [[] for _ in inputs]
        for some in by_length([len(each) for each in inputs], FRAMES_AT_ONCE):
            decoded = self.model.decode(
                *padded([inputs[place].double() for place in some]),
                beam=search.beam,
                local_beam=search.local_beam,
                merge=search.merge,
                n_best=n_best,
            )
            for place, hypotheses in zip(some, decoded, strict=True):
                found[place] = [
                    (self.outputs.names(each.outputs), each.log_probability) for each in hypotheses
                ]
        return found

    def align(self, inputs: Tensor, outputs: Symbols) -> Heard:
        """When each of the outputs is said."""
        pair = NumberedPairs([inputs.double()], [self.outputs.numbers(outputs)])
        (alignment,) = self.model.align(pair.batch([0]))
        total = len(inputs) / self.model.settings.stride * self.seconds_per_vector
        return Heard(timed(alignment, outputs, self.seconds_per_vector, total), alignment)

    def transcribe(self, inputs: Tensor, search: SearchConfig, n_best: int = 1) -> list[Transcript]:
        """The best transcripts of normalised features, each with its times."""
        (found,) = self.predict([inputs], search, n_best)
        return [
            Transcript(
                symbols, math.exp(score), self.align(inputs, symbols).segments if symbols else ()
            )
            for symbols, score in found
        ]

    def can_say(self, utterance: Utterance) -> bool:
        """Whether the model has a path for what is said."""
        return self.outputs.knows(utterance.outputs) and self.model.is_possible(
            len(utterance.inputs), len(utterance.outputs)
        )

    @torch.no_grad()
    def listen(self, samples: Tensor) -> Tensor:
        """``(N,)`` samples at the filter banks' rate to normalised features."""
        assert self.banks is not None
        return torch.from_numpy(self.normaliser(self.banks.features(samples.numpy())))


def timed(
    alignment: Alignment, outputs: Symbols, seconds: float, total: float
) -> tuple[TimedSegment, ...]:
    """The segments of a best path that are not empty; pauses between them belong to none.

    Args:
        alignment: of the outputs.
        outputs: that were aligned.
        seconds: from one input to the next.
        total: length of the sound.
    """
    rest, found = iter(outputs), []
    for place, length in enumerate(alignment.lengths):
        if length:
            symbols = tuple(next(rest) for _ in range(length))
            found.append((symbols, (place + 0.5) * seconds, alignment.posteriors[place]))
    middles = [at for _, at, _ in found]
    borders = [0.0, *((a + b) / 2 for a, b in itertools.pairwise(middles)), total]
    return tuple(
        TimedSegment(
            symbols,
            max(borders[place], at - REACH * len(symbols)),
            min(borders[place + 1], at + REACH * len(symbols)),
            at,
            probability,
        )
        for place, (symbols, at, probability) in enumerate(found)
    )
