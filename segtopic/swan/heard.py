"""The run folder of a speech model: written after its training, opened by whoever listens.

The files are those of :mod:`segtopic.runs.folder`; nothing in them is unpickled.
"""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segtopic.config import SwanConfig, SwanSettings, part_of
from segtopic.corpus.records import BadLines
from segtopic.errors import CorpusError, RunError
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

    def heard(
        self,
        store: FeatureStore,
        parts: Sequence[str] | None,
        bad_lines: BadLines | None = None,
        limit: int | None = None,
    ) -> list[Utterance]:
        """Recordings of a store as the model hears them, or the first so many of them."""
        check_alike(store, len(self.listener.normaliser.mean), self.listener.banks, self.name)
        found = itertools.islice(store.recordings(parts), limit)
        return utterances(found, self.listener.level, self.listener.normaliser, bad_lines)


def check_alike(store: FeatureStore, width: int, banks: FilterBanks | None, learned: str) -> None:
    """Refuse features that are made otherwise than those that were learned from."""
    if store.width != width:
        raise CorpusError(
            f"{store.folder}: has {store.width} numbers in a frame, but {learned} {width}; make "
            "the features in the same way"
        )
    if store.banks is None or banks is None:
        if store.banks is not banks:
            raise CorpusError(
                f"{store.folder}: only one of it and {learned} was made of sounds; make the "
                "features in the same way"
            )
        return
    theirs, ours = store.banks.to_dict(), banks.to_dict()
    other = [
        f"{name} {theirs[name]}, not {ours[name]}" for name in ours if theirs[name] != ours[name]
    ]
    if other:
        raise CorpusError(
            f"{store.folder}: was made otherwise than {learned} ({'; '.join(other)}); make the "
            "features in the same way"
        )


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
