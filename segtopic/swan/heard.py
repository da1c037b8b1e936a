"""The run folder of a speech model: written after its training, opened by whoever listens.

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
from segtopic.runs.folder import LISTENER, SEQUENCES, UNREADABLE, WEIGHTS, Saved, load_settings
from segtopic.runs.seal import unsealed
from segtopic.runs.weights import load_model, save_weights
from segtopic.speech.filterbanks import FilterBanks
from segtopic.speech.recordings import Recording
from segtopic.speech.store import FeatureStore, Normaliser, write_features
from segtopic.swan.encoder import RecurrentEncoder
from segtopic.swan.listener import Listener
from segtopic.swan.model import SwanModel
from segtopic.swan.spoken import LEVELS, Utterance, utterances
from segtopic.swan.symbols import SymbolTable
from segtopic.typed import fits

DEVELOPMENT = "development"
RESTORE = "restore it, or train again with --overwrite"


@dataclass(frozen=True, eq=False)
class TrainedListener(Saved):
    """A speech model, the settings that made it, and what its training found.

    Attributes:
        config: Every setting.
        listener: The model with its symbols and its features, in double precision.
        results: Figures of the best epoch.
        folder: Where it was loaded from.
    """

    config: SwanConfig
    listener: Listener
    results: Mapping[str, Any]
    folder: Path | None = None

    def development(self) -> list[Utterance]:
        """The recordings that told which epoch is the best."""
        return self.heard(FeatureStore(self.saved_folder / DEVELOPMENT), None)

    def heard(self, store: FeatureStore, parts: Sequence[str] | None) -> list[Utterance]:
        """Recordings of a store as the model hears them."""
        wanted = self.listener.model.encoder.n_features  # type: ignore[attr-defined]
        if store.width != wanted:
            raise RunError(
                f"{store.folder}: has {store.width} numbers in a frame, but {self.name} was "
                f"trained with {wanted}; make the features as those of the training"
            )
        if store.banks != self.listener.banks:
            raise RunError(
                f"{store.folder}: was made otherwise than what {self.name} was trained with "
                f"({store.banks} instead of {self.listener.banks})"
            )
        found = store.recordings(parts)
        return utterances(found, self.listener.level, self.listener.normaliser)


def is_listener(folder: Path | str) -> bool:
    """Whether the run is a speech model."""
    return (Path(folder) / LISTENER).exists()


def new_listener_model(settings: SwanSettings, n_features: int, n_symbols: int) -> SwanModel:
    """A model of features with random weights; seed torch before."""
    return SwanModel(settings, RecurrentEncoder(settings, n_features=n_features), n_symbols)


def save_listener(folder: Path, listener: Listener, development: Sequence[Recording]) -> None:
    """All files but settings and seal."""
    content = {
        "level": listener.level,
        "outputs": listener.outputs.symbols,
        "filter_banks": listener.banks.to_dict() if listener.banks else None,
        "normaliser": listener.normaliser.to_dict(),
    }
    write_atomically(folder / LISTENER, json.dumps(content, indent=1) + "\n")
    (folder / DEVELOPMENT).mkdir(exist_ok=True)
    rows = ((each, each.features, 0.0) for each in development)
    write_features(folder / DEVELOPMENT, rows, listener.banks, dict)
    save_weights(folder / WEIGHTS, listener.model)


def load_listener(folder: Path | str) -> TrainedListener:
    """Open a finished run of ``segtopic swan train`` on features."""
    folder = Path(folder)
    config: SwanConfig = load_settings(folder, SEQUENCES)
    seal = unsealed(folder, kind=SEQUENCES)
    path = folder / LISTENER
    if not path.exists():
        raise RunError(
            f"{folder}: reads symbols, not sounds; use 'segtopic swan decode', or give a run that "
            "was trained on features"
        )
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        outputs, level, banks = (content[name] for name in ("outputs", "level", "filter_banks"))
        if not outputs or not fits(outputs, list[str]) or level not in LEVELS:
            raise ValueError("it holds no symbols and their level")
        table, normaliser = SymbolTable(tuple(outputs)), Normaliser.from_dict(content["normaliser"])
        filter_banks = FilterBanks(**banks) if banks else None
    except UNREADABLE as error:
        raise RunError(f"{path}: is damaged ({error}); {RESTORE}") from None
    settings, n_features = part_of(config, SwanSettings), len(normaliser.mean)
    model = load_model(
        folder / WEIGHTS, lambda weights: new_listener_model(settings, n_features, len(table))
    )
    listener = Listener(model, table, level, normaliser, filter_banks)
    return TrainedListener(config, listener, seal.results, folder)
