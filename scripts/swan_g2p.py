"""Spelling to phonemes on g014b2b: SWAN beside CTC with the same encoder, and the paper's claims.

    python scripts/swan_g2p.py train swan --runs runs/g2p          # or ctc, or any name below
    python scripts/swan_g2p.py evaluate swan --runs runs/g2p       # test words: docs/results/swan/
    python scripts/swan_g2p.py table                               # docs/results/swan.md

The data are looked for in ``$SEGTOPIC_DATA/swan/g2p``. Development words (2,000, seed 0) are cut from
the training words; nothing is chosen on the test words. A training that was interrupted goes on
where it stopped. One thread.
"""

import argparse
import json
import os
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytorch_lightning as pl
import torch

from segtopic.swan.batches import NumberedPairs
from segtopic.swan.ctc import CtcModel
from segtopic.swan.encoder import RecurrentEncoder
from segtopic.swan.model import SwanModel
from segtopic.swan.pairs import Entry, Pair, pairs_of, read_entries, split_entries
from segtopic.swan.settings import SwanSettings
from segtopic.swan.symbols import SymbolTable
from segtopic.swan.training import Development, SwanTraining, fit

N_DEVELOPMENT = 2000
LARGE = SwanSettings(max_segment_length=2, dropout=0.25)
SMALL = SwanSettings(units=128, layers=1, segment_units=128, embedding=64, dropout=0.2)
SMALL_TRAINING = SwanTraining(epochs=8, batch_size=64, learning_rate=3e-3, precision="bf16-mixed")


@dataclass(frozen=True)
class Experiment:
    """One model, how it is trained, and on how many of the training words."""

    kind: str = "swan"
    model: SwanSettings = SMALL
    training: SwanTraining = SMALL_TRAINING
    words: int | None = 20_000


def _large(minutes: float) -> SwanTraining:
    return SwanTraining(epochs=60, minutes=minutes, precision="bf16-mixed")


EXPERIMENTS = {
    "swan": Experiment("swan", LARGE, _large(98), None),
    "ctc": Experiment("ctc", LARGE, _large(75), None),
}


class Data:
    """The words and their tables."""

    def __init__(self, n_words: int | None = None) -> None:
        folder = Path(os.environ["SEGTOPIC_DATA"]) / "swan" / "g2p"
        entries = read_entries(folder / "g014b2b.train")
        self.test = read_entries(folder / "g014b2b.ref")
        self.letters = SymbolTable.of(entry.inputs for entry in entries)
        self.phonemes = SymbolTable.of(r for entry in entries for r in entry.references)
        self.training, self.development = split_entries(entries, N_DEVELOPMENT, seed=0)
        if n_words is not None:
            every = len(self.training) // n_words
            self.training = self.training[::every][:n_words]

    def numbered(self, pairs: list[Pair]) -> NumberedPairs:
        return NumberedPairs(pairs, self.letters, self.phonemes)

    def references(self, entries: list[Entry]) -> Development:
        return Development(
            [torch.tensor(self.letters.numbers(entry.inputs)) for entry in entries],
            [[tuple(self.phonemes.numbers(r)) for r in entry.references] for entry in entries],
        )


def new_model(experiment: Experiment, data: Data) -> CtcModel | SwanModel:
    torch.manual_seed(experiment.training.seed)
    encoder = RecurrentEncoder(experiment.model, len(data.letters))
    if experiment.kind == "ctc":
        return CtcModel(encoder, len(data.phonemes), experiment.model.dropout)
    return SwanModel(experiment.model, encoder, len(data.phonemes))


def is_possible(experiment: Experiment, pair: Pair) -> bool:
    if experiment.kind == "ctc":
        repeats = sum(first == second for first, second in pairwise(pair.outputs))
        return len(pair.outputs) + repeats <= len(pair.inputs)
    return len(pair.outputs) <= experiment.model.max_segment_length * len(pair.inputs)


class Progress(pl.Callback):
    """A line an epoch, on the screen and in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        figures = {name: round(float(v), 4) for name, v in trainer.callback_metrics.items()}
        line = {"epoch": trainer.current_epoch + 1, "seconds": round(pl_module.seconds), **figures}
        print(json.dumps(line), flush=True)
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")


def train(name: str, runs: Path) -> None:
    experiment = EXPERIMENTS[name]
    data = Data(experiment.words)
    model = new_model(experiment, data)
    pairs = pairs_of(data.training)
    possible = [pair for pair in pairs if is_possible(experiment, pair)]
    folder = runs / name
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{name}: {len(possible)} of {len(pairs)} pairs are possible", flush=True)
    results = fit(
        model,
        data.numbered(possible),
        data.numbered(pairs_of(data.development)),
        data.references(data.development),
        experiment.training,
        folder,
        [Progress(folder / "epochs.jsonl")],
    )
    results |= {"pairs": len(possible), "parameters": sum(p.numel() for p in model.parameters())}
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps(results))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=["train"])
    parser.add_argument("name", nargs="?", choices=sorted(EXPERIMENTS))
    parser.add_argument("--runs", type=Path, default=Path("runs/g2p"))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    train(arguments.name, arguments.runs)


if __name__ == "__main__":
    main()
