"""The cells of the tables: a corpus, a level, a model, a stride, a seed."""

import dataclasses
import re
from dataclasses import dataclass
from typing import Any

import torch

from segtopic.config import SwanSettings, SwanTraining
from segtopic.swan.ctc import CtcModel
from segtopic.swan.encoder import RecurrentEncoder
from segtopic.swan.guide import Guide
from segtopic.swan.model import SwanModel
from speech.data import Data

# The same encoder for all models of a stride: frames are joined before its layers, states after
# each of them or, the paper's way, after the last.
STRIDES: dict[int, dict[str, Any]] = {
    2: {"first_stride": 2, "strides": (1, 1)},
    4: {"first_stride": 2, "strides": (2, 1)},
    7: {"strides": (1, 1), "last_stride": 7},
    8: {"first_stride": 4, "strides": (2, 1)},
    12: {"first_stride": 4, "strides": (3, 1)},
}
SMALL = SwanSettings(
    max_segment_length=4,
    embedding=32,
    units=128,
    layers=2,
    segment_units=128,
    dropout=0.3,
    stretch=0.15,
    time_mask=0.2,
    feature_mask=0.15,
    history_noise=0.1,
    ctc_weight=0.5,
    band=4,
)
CTC_TRAINING = SwanTraining(epochs=30, batch_size=16, learning_rate=2e-3, weight_decay=0.01)
SWAN_TRAINING = dataclasses.replace(CTC_TRAINING, epochs=12, learning_rate=1e-3)
# ctc+ takes as much processor time as swan: an epoch of swan takes 3.2 to 3.4 times CTC's.
# (Before the encoder's gradient was made by hand 2.35 times at stride 4, where ctc+ had 28 epochs.)
TRAINING = {
    "ctc": CTC_TRAINING,
    "swan": SWAN_TRAINING,
    "ctc+": dataclasses.replace(SWAN_TRAINING, epochs=40),
}
_NAME = re.compile(
    r"(?P<corpus>an4|fsdd|strings|unseen)-(?P<level>chars|phones|words)-s(?P<stride>2|4|7|8|12)"
    r"-(?P<kind>ctc|ctc\+|swan)(-L(?P<longest>\d))?(-(?P<without>no-carry))?"
    r"(-guide(?P<weight>[\d.]+))?(-rate(?P<rate>\d))?(-epochs(?P<epochs>\d+))?-(?P<seed>\d)"
)


@dataclass(frozen=True)
class Cell:
    """One model on one corpus, by a name such as ``an4-chars-s4-swan-L4-0``.

    ``ctc`` learns alone; ``swan`` and ``ctc+`` go on from it, with the segments' loss beside its
    own (by ``guide0.1`` with another weight) or with its own only. ``rate2`` is a learning rate of
    0.002, ``epochs27`` another number of epochs.
    """

    name: str
    corpus: str
    level: str
    kind: str
    settings: SwanSettings
    training: SwanTraining

    @classmethod
    def of(cls, name: str) -> "Cell":
        found = _NAME.fullmatch(name)
        if found is None:
            raise SystemExit(f"'{name}' is no name of a cell, such as an4-chars-s4-swan-L4-0")
        settings = dataclasses.replace(
            SMALL,
            **STRIDES[int(found["stride"])],
            max_segment_length=int(found["longest"] or 4),
            carry_over=not found["without"],
            ctc_weight=float(found["weight"] or SMALL.ctc_weight),
        )
        training = TRAINING[found["kind"]]
        if found["corpus"] != "an4":
            training = dataclasses.replace(training, epochs=training.epochs // 2, batch_size=32)
        if found["rate"]:
            training = dataclasses.replace(training, learning_rate=int(found["rate"]) / 1000)
        if found["epochs"]:
            training = dataclasses.replace(training, epochs=int(found["epochs"]))
        training = dataclasses.replace(training, seed=int(found["seed"]), threads=1)
        return cls(name, found["corpus"], found["level"], found["kind"], settings, training)

    @property
    def start(self) -> str | None:
        """The cell that this one goes on from."""
        if self.kind == "ctc":
            return None
        head = self.name.partition(f"-{self.kind}")[0]
        return f"{head}-ctc-{self.training.seed}"

    def new_model(self, data: Data) -> CtcModel | SwanModel:
        """With random weights, the same for the same seed."""
        torch.manual_seed(self.training.seed)
        encoder = RecurrentEncoder(self.settings, n_features=data.n_features)
        if self.kind == "swan":
            return SwanModel(self.settings, encoder, len(data.symbols))
        guide = Guide(encoder.width, len(data.symbols), self.settings.dropout)
        return CtcModel(encoder, guide)
