"""The parts of a corpus as numbers: training, development (other speakers) and test."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from segtopic.speech.an4 import read_an4
from segtopic.speech.recordings import Recording
from segtopic.speech.store import FeatureStore
from segtopic.swan.batches import NumberedPairs
from segtopic.swan.development import Development
from segtopic.swan.symbols import SymbolTable

# Of corpora without a development part: as in the test part, other speakers.
N_DEVELOPMENT_SPEAKERS = {"an4": 8, "unseen": 1}
# Folders that "segtopic swan features" has made of the Free Spoken Digit Dataset.
FEATURES = Path("runs/features")


class Data:
    """A corpus at one level; the features are normalised over the training part."""

    def __init__(self, corpus: str, level: str) -> None:
        self.level = level
        recordings = _recordings(corpus)
        self.training = [each for each in recordings if each.part == "train"]
        self.development = [each for each in recordings if each.part == "dev"]
        if not self.development:
            speakers = sorted({each.speaker for each in self.training})
            drawn = np.random.default_rng(0).permutation(len(speakers))
            held_out = {speakers[number] for number in drawn[: N_DEVELOPMENT_SPEAKERS[corpus]]}
            self.development = [each for each in self.training if each.speaker in held_out]
            self.training = [each for each in self.training if each.speaker not in held_out]
        self.test = [each for each in recordings if each.part == "test"]
        self.symbols = SymbolTable.of(map(self.outputs, recordings))
        frames = np.concatenate([each.features for each in self.training])
        self.mean, self.deviation = frames.mean(0), frames.std(0)
        self.n_features = frames.shape[1]

    def outputs(self, recording: Recording) -> Sequence[str]:
        if self.level != "phones":
            words = recording.words or ""
            return tuple(words) if self.level == "chars" else tuple(words.split())
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


def _recordings(corpus: str) -> list[Recording]:
    if corpus == "an4":
        return list(read_an4(Path(os.environ["SEGTOPIC_DATA"]) / "swan" / "an4"))
    return list(FeatureStore(FEATURES / corpus).recordings())
