"""An experiment's name in; a folder with checkpoints, and the model of the best epoch, out."""

import dataclasses
import json
from pathlib import Path

import pytorch_lightning as pl
import torch

from g2p.data import Data
from g2p.experiments import EXPERIMENTS, is_possible, new_model
from segtopic.swan.ctc import CtcModel
from segtopic.swan.model import SwanModel
from segtopic.swan.pairs import pairs_of
from segtopic.swan.system import SwanSystem
from segtopic.swan.training import fit


class Progress(pl.Callback):
    """A line an epoch, on the screen and in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write it."""
        figures = {name: round(float(v), 4) for name, v in trainer.callback_metrics.items()}
        assert isinstance(pl_module, SwanSystem)
        line = {"epoch": trainer.current_epoch + 1, "seconds": round(pl_module.seconds), **figures}
        print(json.dumps(line), flush=True)
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")


def train(name: str, runs: Path) -> None:
    """Train one of the experiments into its folder; a training that was interrupted goes on."""
    experiment = EXPERIMENTS[name]
    data = Data(experiment.words)
    model = new_model(experiment, data)
    pairs = pairs_of(data.training)
    possible = [pair for pair in pairs if is_possible(model, pair)]
    folder = runs / name
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{name}: {len(possible)} of {len(pairs)} pairs are possible", flush=True)
    figures = fit(
        model,
        data.numbered(possible),
        data.numbered(pairs_of(data.development)),
        data.references(data.development),
        experiment.training,
        folder,
        [Progress(folder / "epochs.jsonl")],
    )
    figures |= {"pairs": len(possible), "parameters": sum(p.numel() for p in model.parameters())}
    figures |= {"settings": dataclasses.asdict(experiment)}
    (folder / "results.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures))


def trained(name: str, runs: Path, data: Data) -> CtcModel | SwanModel:
    """The model of the best epoch."""
    model = new_model(EXPERIMENTS[name], data)
    best = runs / name / "checkpoints" / "best.ckpt"
    weights = torch.load(best, weights_only=True)["state_dict"]
    model.load_state_dict({key.removeprefix("model."): value for key, value in weights.items()})
    return model.eval()
