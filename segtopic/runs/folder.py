"""The folder of a run, file by file; nothing in it is ever unpickled.

config.yaml         every setting; 'segtopic train --config' repeats the run
corpus.json         how text becomes words: rules, and a summary of the corpus
vocabulary.txt      its words
documents.arrow     its documents as numbers of words, with ids, digests and parts of the split
grammar.safetensors which words begin, continue and end phrases, if its texts were enough to tell
model.safetensors   the weights of the best epoch
metrics.csv         what was watched, a line an epoch
run.json            format version, results, and the digests of the files above
names.yaml          what the user calls the topics, and which are taken together, if anything is
tensorboard/        for curves
checkpoints/        Lightning's, to resume from; gone when the training has finished

A model saved from Python has no metrics.csv, and no documents.arrow if that was not wanted.
A sequence model has, in place of corpus, vocabulary and documents:

symbols.json        the symbols of both sides
development.jsonl   the inputs that told which epoch is the best, with their right outputs

or, if its inputs are recorded speech:

listener.json       how sounds become inputs, and the symbols of the outputs
development/        features of the recordings that told which epoch is the best

A command that is given a run of the other kind says so, from its settings or from its seal.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from segtopic.config import REFINE_STEPS, RunConfig, SwanConfig, build
from segtopic.corpus.corpus import is_corpus
from segtopic.errors import ConfigError, RunError
from segtopic.files import put_in_place, unfinished_folder, write_atomically

CONFIG, CORPUS, VOCABULARY, DOCUMENTS, GRAMMAR, WEIGHTS, METRICS, SYMBOLS, DEVELOPMENT = (
    "config.yaml",
    "corpus.json",
    "vocabulary.txt",
    "documents.arrow",
    "grammar.safetensors",
    "model.safetensors",
    "metrics.csv",
    "symbols.json",
    "development.jsonl",
)
LISTENER = "listener.json"
CHECKPOINTS = "checkpoints"
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, ConfigError)
"""What comes of files with something else in them; a nest of brackets ends the recursion."""

_RENAMED = {"format": "input_format"}  # settings of runs that were made before
# What such runs had where they say nothing.
_BEFORE = {
    **{"own_phrases": False, "guesses": False, "common": False},
    **{"stop_on": "refined", "refine_steps": REFINE_STEPS},
}


@dataclass(frozen=True)
class RunKind:
    """A kind of run.

    Attributes:
        format: Its name in the seal.
        version: That is written.
        readable: Versions that can be read.
        holds: What such a folder holds, in words.
        command: That makes it, after ``segtopic``.
        users: The commands that take it, in words.
        settings: The class of its settings.
        changeable: Settings that may change when a training goes on.
        sealed: Files whose digests are kept; not all runs have all of them.
    """

    format: str
    version: int
    readable: tuple[int, ...]
    holds: str
    command: str
    users: str
    settings: type
    changeable: tuple[str, ...]
    sealed: tuple[str, ...]


TOPICS = RunKind(
    format="segtopic-run",
    version=4,
    readable=(3, 4),  # runs of version 3 have no documents
    holds="a topic model",
    command="train",
    users="'segtopic segment', 'topics', 'evaluate' and the like",
    settings=RunConfig,
    changeable=("epochs",),
    sealed=(CONFIG, CORPUS, VOCABULARY, DOCUMENTS, GRAMMAR, WEIGHTS, METRICS),
)
SEQUENCES = RunKind(
    format="segtopic-swan-run",
    version=1,
    readable=(1,),
    holds="a sequence model",
    command="swan train",
    users="'segtopic swan decode', 'swan evaluate', 'swan transcribe' and the like",
    settings=SwanConfig,
    changeable=("threads",),  # the schedule is planned for the epochs
    sealed=(
        CONFIG,
        SYMBOLS,
        DEVELOPMENT,
        LISTENER,
        "development/features.arrow",
        "development/features.json",
        WEIGHTS,
        METRICS,
    ),
)
KINDS = (TOPICS, SEQUENCES)


class Saved:
    """A model that may have been loaded from, or saved to, a folder.

    Attributes:
        folder: Where it is, if it is anywhere.
    """

    folder: Path | None

    @property
    def name(self) -> str:
        """For people: the folder."""
        return "the model" if self.folder is None else str(self.folder)

    @property
    def saved_folder(self) -> Path:
        """The folder, for what needs one."""
        if self.folder is None:
            raise RunError("the model is not saved yet; save it first")
        return self.folder


def save_config(folder: Path, config: Any, trainer: Mapping[str, Any] | None = None) -> None:
    """``config.yaml``, in the form that ``--config`` reads."""
    values = {key: _plain(value) for key, value in dataclasses.asdict(config).items()}
    if trainer is not None:
        values["trainer"] = dict(trainer)
    write_atomically(folder / CONFIG, yaml.safe_dump(values, sort_keys=False))


def load_config(folder: Path) -> RunConfig:
    """The settings of a run of ``segtopic train``."""
    config = load_settings(folder, TOPICS)
    assert isinstance(config, RunConfig)
    return config


def load_settings(folder: Path, kind: RunKind) -> Any:
    """The settings of a run of some kind; one of another kind is refused."""
    try:
        values = yaml.safe_load((folder / CONFIG).read_text(encoding="utf-8"))
        values.pop("trainer", None)
        values = {_RENAMED.get(key, key): value for key, value in values.items()}
        check_kind(folder, kind, _kind_of(values))
        before = _BEFORE if kind is TOPICS else {}
        config: Any = build(kind.settings, {**before, **values})
        if isinstance(config, RunConfig):
            from segtopic.model import check_settings  # needs torch; a new run is not read

            check_settings(config)
        return config
    except NotADirectoryError:
        raise RunError(
            f"{folder}: is a file, not the folder of a run; make one with "
            f"'segtopic {kind.command} --data {folder}'"
        ) from None
    except FileNotFoundError:
        how = f"--data {folder}" if is_corpus(folder) else f"--out {folder}"
        raise RunError(
            f"{folder}: is not a run (no {CONFIG}); make one with 'segtopic {kind.command} {how}'"
        ) from None
    except (*UNREADABLE, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise RunError(f"{folder / CONFIG}: is damaged ({reason}); restore it") from None


@contextmanager
def new_run(folder: Path, overwrite: bool) -> Iterator[Path]:
    """A folder to save a model into, which takes the place of ``folder`` when all is written."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        if not (folder / CONFIG).exists():
            raise RunError(f"{folder}: holds something else than a model; choose another folder")
        if not overwrite:
            raise RunError(
                f"{folder}: holds a model already; pass overwrite=True, or choose another folder"
            )
    with unfinished_folder(folder, remedy="choose another folder") as parts:
        yield parts
        put_in_place(parts, folder)


def check_kind(folder: Path, wanted: RunKind, found: RunKind | None) -> None:
    """Refuse a run of another kind; ``None`` is of none that is known."""
    if found is not None and found is not wanted:
        raise RunError(
            f"{folder}: holds {found.holds} (made by 'segtopic {found.command}'), not "
            f"{wanted.holds}; use it with {found.users}"
        )


def _kind_of(values: Mapping[str, Any]) -> RunKind | None:
    """The kind of run that has all these settings."""
    for kind in KINDS:
        if values and set(values) <= {field.name for field in dataclasses.fields(kind.settings)}:
            return kind
    return None


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
