"""A cell's name in; a folder with the model of the best epoch out. What is finished is kept."""

import dataclasses
import itertools
import json
import time
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch

from segtopic.swan.ctc import CtcModel
from segtopic.swan.model import SwanModel
from segtopic.swan.system import SwanSystem
from segtopic.swan.training import fit
from speech.cells import Cell
from speech.data import Data


class Progress(pl.Callback):
    """A line an epoch."""

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Print it."""
        figures = {name: round(float(v), 4) for name, v in trainer.callback_metrics.items()}
        assert isinstance(pl_module, SwanSystem)
        line = {"epoch": trainer.current_epoch + 1, "seconds": round(pl_module.seconds), **figures}
        print(json.dumps(line), flush=True)


def train(name: str, runs: Path) -> None:
    """Train a cell, and before it the one that it starts from; interrupted trainings go on."""
    cell, folder = Cell.of(name), runs / name
    if (folder / "results.json").exists():
        return
    if cell.start is not None:
        train(cell.start, runs)
    data = Data(cell.corpus, cell.level)
    model = cell.new_model(data)
    if cell.start is not None:
        _start_from(model, trained(cell.start, runs, data))
    possible = [each for each in data.training if _is_possible(model, each.features, data, each)]
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{name}: {len(possible)} of {len(data.training)} are possible", flush=True)
    before = time.process_time()
    figures = fit(
        model,
        data.numbered(possible),
        data.numbered(data.development),
        data.references(data.development),
        cell.training,
        folder,
        [Progress()],
    )
    figures |= {"processor_seconds": round(time.process_time() - before), "pairs": len(possible)}
    figures |= {"parameters": sum(p.numel() for p in model.parameters())}
    figures |= {"settings": dataclasses.asdict(cell)}
    torch.save(model.state_dict(), folder / "best.pt")
    (folder / "results.json").write_text(json.dumps(figures, indent=1) + "\n")


def trained(name: str, runs: Path, data: Data) -> CtcModel | SwanModel:
    """The model of the best epoch."""
    model = Cell.of(name).new_model(data)
    model.load_state_dict(torch.load(runs / name / "best.pt", weights_only=True))
    return model.eval()


def _start_from(model: CtcModel | SwanModel, start: CtcModel | SwanModel) -> None:
    assert isinstance(start, CtcModel)
    assert model.guide is not None
    model.encoder.load_state_dict(start.encoder.state_dict())  # type: ignore[attr-defined]
    model.guide.load_state_dict(start.guide.state_dict())


def _is_possible(model: CtcModel | SwanModel, features: Any, data: Data, recording: Any) -> bool:
    n_vectors, outputs = model.encoder.n_vectors(len(features)), data.outputs(recording)
    if isinstance(model, SwanModel):
        return model.is_possible(len(features), len(outputs))
    repeats = sum(first == second for first, second in itertools.pairwise(outputs))
    return len(outputs) + repeats <= n_vectors
