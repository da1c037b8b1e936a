"""Pairs as numbers, cut into batches of like lengths.

Sequences of one length waste nothing on padding; so pools of pairs in random order are sorted by
length and cut, and the batches shuffled again. The order depends on the seed and the epoch only.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from segtopic.swan.pairs import Pair
from segtopic.swan.sequence_model import PairBatch
from segtopic.swan.symbols import SymbolTable

BATCHES_PER_POOL = 50


class NumberedPairs:
    """Pairs of sequences: symbol numbers or features in, symbol numbers out.

    Args:
        inputs: ``(T'',)`` symbol numbers or ``(T'', F)`` features of each.
        outputs: symbol numbers of each.
    """

    def __init__(self, inputs: Sequence[Tensor], outputs: Sequence[Sequence[int]]) -> None:
        self.inputs = list(inputs)
        self.outputs = [torch.tensor(numbers).long() for numbers in outputs]
        self.input_lengths = np.array([len(sequence) for sequence in self.inputs])
        self.output_lengths = np.array([len(sequence) for sequence in self.outputs])

    @classmethod
    def of(
        cls, pairs: Sequence[Pair], inputs: SymbolTable, outputs: SymbolTable
    ) -> "NumberedPairs":
        """From pairs of symbols."""
        return cls(
            [torch.tensor(inputs.numbers(pair.inputs)) for pair in pairs],
            [outputs.numbers(pair.outputs) for pair in pairs],
        )

    def __len__(self) -> int:
        return len(self.inputs)

    def batch(self, chosen: Iterable[int]) -> PairBatch:
        """Some of the pairs, padded with zeros."""
        chosen = list(chosen)
        return PairBatch(
            *padded([self.inputs[number] for number in chosen]),
            *padded([self.outputs[number] for number in chosen]),
        )

    def epoch(self, batch_size: int, seed: int, epoch: int) -> Iterator[PairBatch]:
        """All pairs once, in random batches of like lengths."""
        random = np.random.default_rng((seed, epoch))
        order = random.permutation(len(self))
        pool = batch_size * BATCHES_PER_POOL
        batches: list[NDArray[np.int64]] = []
        for begin in range(0, len(order), pool):
            batches += self._by_length(order[begin : begin + pool], batch_size)
        for number in random.permutation(len(batches)):
            yield self.batch(batches[number])

    def in_order(self, batch_size: int) -> Iterator[PairBatch]:
        """All pairs once, short ones first."""
        for chosen in self._by_length(np.arange(len(self)), batch_size):
            yield self.batch(chosen)

    def n_batches(self, batch_size: int) -> int:
        """How many batches an epoch has."""
        return -(-len(self) // batch_size)

    def _by_length(self, chosen: NDArray[np.int64], batch_size: int) -> list[NDArray[np.int64]]:
        order = np.lexsort((self.output_lengths[chosen], self.input_lengths[chosen]))
        chosen = chosen[order]
        return [chosen[begin : begin + batch_size] for begin in range(0, len(chosen), batch_size)]


def padded(sequences: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """``(B, T)`` and ``(B,)``: the sequences side by side, and their lengths."""
    lengths = torch.tensor([len(sequence) for sequence in sequences])
    return pad_sequence(list(sequences), batch_first=True), lengths
