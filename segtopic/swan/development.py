"""Development words: inputs with all their right outputs, as numbers, and how wrong a model is."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from segtopic.swan.batches import padded
from segtopic.swan.error_rates import ErrorCounts, count_errors
from segtopic.swan.pairs import Entry
from segtopic.swan.sequence_model import SequenceModel
from segtopic.swan.symbols import SymbolTable

DECODED_AT_ONCE = 256


class Development:
    """Inputs with all their right outputs, as numbers.

    Args:
        inputs: of each.
        references: of each, all that are right.
        by_symbols: whether the best epoch is the one with the fewest wrong symbols, and not with
            the fewest wrong sequences: for long sequences, which are seldom right as a whole.
        compared: what is compared, made of outputs and of references; themselves if not given.
    """

    def __init__(
        self,
        inputs: Sequence[Tensor],
        references: Sequence[Sequence[Sequence[int]]],
        by_symbols: bool = False,
        compared: Callable[[Sequence[int]], Sequence[Any]] = tuple,
    ) -> None:
        self.inputs = list(inputs)
        self.references = references
        self.by_symbols = by_symbols
        self.compared = compared

    @classmethod
    def of(
        cls, entries: Sequence[Entry], inputs: SymbolTable, outputs: SymbolTable
    ) -> "Development":
        """From symbols."""
        return cls(
            [torch.tensor(inputs.numbers(entry.inputs)) for entry in entries],
            [[tuple(outputs.numbers(each)) for each in entry.references] for entry in entries],
        )

    def errors(self, model: SequenceModel, **wishes: Any) -> ErrorCounts:
        """Of the best outputs; ``wishes`` go to the model's ``decode``."""
        outputs = map(self.compared, self.outputs(model, **wishes))
        references = [list(map(self.compared, some)) for some in self.references]
        return count_errors(list(outputs), references)

    def outputs(self, model: SequenceModel, **wishes: Any) -> list[Sequence[int]]:
        """The best outputs of each input."""
        order = sorted(range(len(self.inputs)), key=lambda number: len(self.inputs[number]))
        outputs: list[Sequence[int]] = [()] * len(order)
        for begin in range(0, len(order), DECODED_AT_ONCE):
            some = order[begin : begin + DECODED_AT_ONCE]
            decoded = model.decode(*padded([self.inputs[number] for number in some]), **wishes)
            for number, hypotheses in zip(some, decoded, strict=True):
                outputs[number] = hypotheses[0].outputs
        return outputs
