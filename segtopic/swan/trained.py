"""A trained sequence model with all that is needed to use it, and the folder that holds it.

The files are those of :mod:`segtopic.runs.folder`; nothing in them is unpickled.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segtopic.config import SwanConfig, SwanSettings, part_of
from segtopic.errors import RunError
from segtopic.files import write_atomically
from segtopic.runs.folder import (
    DEVELOPMENT,
    LISTENER,
    SEQUENCES,
    SYMBOLS,
    UNREADABLE,
    WEIGHTS,
    Saved,
    load_settings,
    new_run,
    save_config,
)
from segtopic.runs.seal import RUN, save_results, unsealed
from segtopic.runs.weights import load_model, save_weights
from segtopic.swan.model import new_model
from segtopic.swan.pairs import Entry, Writing
from segtopic.swan.predictor import SwanPredictor
from segtopic.swan.symbols import SymbolTable
from segtopic.typed import fits, shown

RESTORE = "restore it, or train again with --overwrite"


@dataclass(frozen=True, eq=False)
class TrainedSwan(Saved):
    """A model, the settings that made it, and what its training found.

    Attributes:
        config: Every setting.
        predictor: The model and its symbols, in double precision, so that the outputs of a
            sequence do not depend on its neighbours.
        development: The inputs that told which epoch is the best, with their right outputs.
        results: Figures of the best epoch.
        folder: Where it was loaded from or saved to, if it was.
    """

    config: SwanConfig
    predictor: SwanPredictor
    development: Sequence[Entry]
    results: Mapping[str, Any]
    folder: Path | None = None

    @property
    def writing(self) -> Writing:
        """How sequences of both sides are written."""
        return Writing.of(self.config)

    def save(self, folder: Path | str, *, overwrite: bool = False) -> None:
        """Write a run folder; it is whole or not there.

        Args:
            folder: must not hold anything yet.
            overwrite: replace the model in the folder.
        """
        with new_run(Path(folder), overwrite) as parts:
            save_config(parts, self.config)
            save_parts(parts, self.predictor, self.development)
            save_results(parts, self.results, SEQUENCES)


def save_parts(folder: Path, predictor: SwanPredictor, development: Sequence[Entry]) -> None:
    """Symbols, development pairs and weights."""
    symbols = {"inputs": predictor.inputs.symbols, "outputs": predictor.outputs.symbols}
    write_atomically(folder / SYMBOLS, json.dumps(symbols, indent=1) + "\n")
    lines = [json.dumps(entry._asdict()) + "\n" for entry in development]
    write_atomically(folder / DEVELOPMENT, "".join(lines))
    save_weights(folder / WEIGHTS, predictor.model)


def load_swan(folder: Path | str) -> TrainedSwan:
    """Open a finished run of ``segtopic swan train``, or a saved ``Swan``."""
    folder = Path(folder)
    config: SwanConfig = load_settings(folder, SEQUENCES)
    seal = unsealed(folder, kind=SEQUENCES)
    if (folder / LISTENER).exists():
        raise RunError(
            f"{folder}: reads sounds, not symbols; use 'segtopic swan transcribe', 'swan evaluate' "
            "or 'swan report', or in Python segtopic.swan.heard.load_listener"
        )
    inputs, outputs = _load_symbols(folder / SYMBOLS)
    settings = part_of(config, SwanSettings)
    model = load_model(folder / WEIGHTS, lambda weights: new_model(settings, inputs, outputs))
    for name in ("best_epoch", "epochs", "seconds", "pairs"):
        if not fits(seal.results.get(name), float):
            found = shown(seal.results.get(name))
            raise RunError(
                f"{folder / RUN}: is damaged ({name} is '{found}', but must be a number); {RESTORE}"
            )
    development = _load_development(folder / DEVELOPMENT)
    predictor = SwanPredictor(model, inputs, outputs)
    return TrainedSwan(config, predictor, development, seal.results, folder)


def _load_symbols(path: Path) -> tuple[SymbolTable, SymbolTable]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        sides = [content["inputs"], content["outputs"]]
        if not all(side and fits(side, list[str]) for side in sides):
            raise ValueError("it holds no two lists of symbols")
        inputs, outputs = (SymbolTable(tuple(side)) for side in sides)
        return inputs, outputs
    except UNREADABLE as error:
        raise RunError(f"{path}: is missing or damaged ({error}); {RESTORE}") from None


def _load_development(path: Path) -> list[Entry]:
    entries = []
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            content = json.loads(line)
            inputs, references = content["inputs"], content["references"]
            if not fits(inputs, list[str]) or not fits(references, list[list[str]]):
                raise ValueError("a line holds no sequences of symbols")
            entries.append(Entry(tuple(inputs), tuple(map(tuple, references))))
    except UNREADABLE as error:
        raise RunError(f"{path}: is missing or damaged ({error}); {RESTORE}") from None
    return entries
