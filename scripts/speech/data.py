"""The parts of a corpus as numbers: training, development (other speakers) and test."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from segtopic.speech.an4 import read_an4
from segtopic.speech.recordings import Recording
from segtopic.swan.batches import NumberedPairs
from segtopic.swan.development import Development
from segtopic.swan.symbols import SymbolTable

N_DEVELOPMENT_SPEAKERS = 8


class Data:
    """A corpus at one level; the features are normalised over the training part."""

    def __init__(self, corpus: str, level: str) -> None:
        self.level = level
        recordings = list(read_an4(Path(os.environ["SEGTOPIC_DATA"]) / "swan" / "an4"))
        training = [each for each in recordings if each.part == "train"]
        speakers = sorted({each.speaker for each in training})
        drawn = np.random.default_rng(0).permutation(len(speakers))[:N_DEVELOPMENT_SPEAKERS]
        held_out = {speakers[number] for number in drawn}
        self.training = [each for each in training if each.speaker not in held_out]
        self.development = [each for each in training if each.speaker in held_out]
        self.test = [each for each in recordings if each.part == "test"]
        self.symbols = SymbolTable.of(map(self.outputs, recordings))
        frames = np.concatenate([each.features for each in self.training])
        self.mean, self.deviation = frames.mean(0), frames.std(0)
        self.n_features = frames.shape[1]

    def outputs(self, recording: Recording) -> Sequence[str]:
        if self.level == "chars":
            return tuple(recording.words or "")
        return recording.phones or ()

    def numbered(self, recordings: Sequence[Recording]) -> NumberedPairs:
        return NumberedPairs(
            list(map(self._features, recordings)),
            [self.symbols.numbers(self.outputs(each)) for each in recordings],
        )

    def references(self, recordings: Sequence[Recording]) -> Development:
        return Development(
            list(map(self._features, recordings)),
            [[tuple(self.symbols.numbers(self.outputs(each)))] for each in recordings],
            by_symbols=True,
        )

    def _features(self, recording: Recording) -> torch.Tensor:
        return torch.from_numpy((recording.features - self.mean) / self.deviation).float()
