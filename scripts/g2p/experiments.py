"""The models that are compared, by name, and a new one of each."""

import dataclasses
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import torch

from g2p.data import Data
from segtopic.config import SwanSettings, SwanTraining
from segtopic.swan.ctc import CtcModel
from segtopic.swan.encoder import RecurrentEncoder
from segtopic.swan.guide import Guide
from segtopic.swan.model import SwanModel
from segtopic.swan.pairs import Pair
from segtopic.swan.transducer import TransducerModel

LARGE = SwanSettings(max_segment_length=2, dropout=0.2)
LARGE_TRAINING = SwanTraining(epochs=22, learning_rate=1e-3, precision="bf16-mixed")
SMALL = SwanSettings(units=128, layers=1, segment_units=128, embedding=64, dropout=0.2)
SMALL_TRAINING = SwanTraining(epochs=12, batch_size=64, learning_rate=3e-3, precision="bf16-mixed")


@dataclass(frozen=True)
class Experiment:
    """One model, how it is trained, on how many of the training words, and how it is decoded."""

    kind: Literal["swan", "ctc", "rnnt"] = "swan"
    model: SwanSettings = SMALL
    training: SwanTraining = SMALL_TRAINING
    words: int | None = 20_000
    beams: tuple[int, ...] = (1, 5)


EXPERIMENTS = {
    "swan": Experiment("swan", LARGE, LARGE_TRAINING, None, (1, 5, 10, 40)),
    "ctc": Experiment("ctc", LARGE, LARGE_TRAINING, None, (1,)),
    "rnnt": Experiment("rnnt", LARGE, LARGE_TRAINING, None),
    "small": Experiment(beams=(1, 5, 10, 40)),
    "small-ctc": Experiment("ctc", beams=(1,)),
    "small-rnnt": Experiment("rnnt"),
    "small-no-carry": Experiment(model=dataclasses.replace(SMALL, carry_over=False)),
    "small-L1": Experiment(model=dataclasses.replace(SMALL, max_segment_length=1)),
    "small-L2": Experiment(model=dataclasses.replace(SMALL, max_segment_length=2)),
    "small-L5": Experiment(model=dataclasses.replace(SMALL, max_segment_length=5)),
}


def new_model(experiment: Experiment, data: Data) -> CtcModel | SwanModel:
    """With random weights, the same for the same seed."""
    torch.manual_seed(experiment.training.seed)
    encoder = RecurrentEncoder(experiment.model, len(data.letters))
    if experiment.kind == "ctc":
        guide = Guide(encoder.width, len(data.phonemes), experiment.model.dropout)
        return CtcModel(encoder, guide)
    kind = TransducerModel if experiment.kind == "rnnt" else SwanModel
    return kind(experiment.model, encoder, len(data.phonemes))


def is_possible(model: CtcModel | SwanModel, pair: Pair) -> bool:
    """Whether the model can say the outputs of a pair at all."""
    if isinstance(model, SwanModel):
        return model.is_possible(len(pair.inputs), len(pair.outputs))
    repeats = sum(first == second for first, second in pairwise(pair.outputs))
    return len(pair.outputs) + repeats <= len(pair.inputs)
