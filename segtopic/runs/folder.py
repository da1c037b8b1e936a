"""The folder of a run, file by file; nothing in it is ever unpickled.

config.yaml         every setting; 'segtopic train --config' repeats the run
corpus.json         how text becomes words: rules, and a summary of the corpus
vocabulary.txt      its words
documents.arrow     its documents as numbers of words, with ids, digests and parts of the split
model.safetensors   the weights of the best epoch
metrics.csv         what was watched, a line an epoch
run.json            format version, results, and the digests of the files above
checkpoints/        Lightning's, to resume from; tensorboard/ for curves

A model saved from Python has no metrics.csv, and no documents.arrow if that was not wanted.
"""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from segtopic.config import RunConfig, build
from segtopic.errors import ConfigError, RunError
from segtopic.files import write_atomically
from segtopic.model import check_settings

CONFIG, CORPUS, VOCABULARY, DOCUMENTS, WEIGHTS, METRICS = (
    "config.yaml",
    "corpus.json",
    "vocabulary.txt",
    "documents.arrow",
    "model.safetensors",
    "metrics.csv",
)
SEALED = (CONFIG, CORPUS, VOCABULARY, DOCUMENTS, WEIGHTS, METRICS)
"""Files whose digests are kept; not all runs have all of them."""
CHECKPOINTS = "checkpoints"
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, ConfigError)
"""What comes of files with something else in them; a nest of brackets ends the recursion."""

_RENAMED = {"format": "input_format"}  # settings of runs that were made before


def save_config(folder: Path, config: RunConfig, trainer: Mapping[str, Any]) -> None:
    """``config.yaml``, in the form that ``--config`` reads."""
    values = {key: _plain(value) for key, value in dataclasses.asdict(config).items()}
    text = yaml.safe_dump({**values, "trainer": dict(trainer)}, sort_keys=False)
    write_atomically(folder / CONFIG, text)


def load_config(folder: Path) -> RunConfig:
    """The settings of a run."""
    try:
        values = yaml.safe_load((folder / CONFIG).read_text(encoding="utf-8"))
        values.pop("trainer", None)
        config = build(RunConfig, {_RENAMED.get(key, key): v for key, v in values.items()})
        check_settings(config)
        return config
    except FileNotFoundError:
        raise RunError(
            f"{folder}: is not a run (no {CONFIG}); make one with 'segtopic train --out {folder}'"
        ) from None
    except (*UNREADABLE, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise RunError(f"{folder / CONFIG}: is damaged ({reason}); restore it") from None


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
