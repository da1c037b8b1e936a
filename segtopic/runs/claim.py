"""The folder of a run from its claim to its seal, for one training at a time.

A training claims the folder, begins with what it is about to learn, and finishes with what it has
learned; whoever opens the folder in between is told that the training has not finished.
"""

import dataclasses
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segtopic.config import RunConfig, TrainerConfig
from segtopic.errors import RunError
from segtopic.files import InUse, held, remove_unfinished
from segtopic.runs.corpus import RunCorpus
from segtopic.runs.folder import (
    CHECKPOINTS,
    CONFIG,
    TOPICS,
    WEIGHTS,
    RunKind,
    load_settings,
    save_config,
)
from segtopic.runs.seal import RUN, save_results

if TYPE_CHECKING:  # they need torch, and a folder is claimed before it is imported
    from segtopic.model.topic_model import TopicModel
    from segtopic.runs.trained import TrainedModel


@dataclass(frozen=True)
class ClaimedRun:
    """A folder in which one training is at work.

    Attributes:
        folder: Of the run.
        resume: Whether an interrupted training goes on there.
        keep_checkpoints: Whether they stay when the training has finished.
    """

    folder: Path
    resume: bool
    keep_checkpoints: bool = False

    def make_room(self) -> None:
        """Remove the run that the folder held; until then it is not lost."""
        if not self.resume:
            _clear(self.folder)

    def begin(self, config: RunConfig, trainer: TrainerConfig, corpus: RunCorpus) -> None:
        """Write down what is trained on what, and with what."""
        self.make_room()
        save_config(self.folder, config, dataclasses.asdict(trainer))
        corpus.save(self.folder)

    def finish(self, model: "TopicModel", results: Mapping[str, Any]) -> None:
        """Write down what was learned, and seal the run."""
        from segtopic.runs.weights import save_weights

        save_weights(self.folder / WEIGHTS, model)
        save_results(self.folder, results)
        self.tidy_up()

    def tidy_up(self) -> None:
        """Remove what a sealed run does not need: most of its bytes are checkpoints."""
        if not self.keep_checkpoints:
            shutil.rmtree(self.folder / CHECKPOINTS, ignore_errors=True)

    def opened(self) -> "TrainedModel":
        """The finished run, as everybody else will find it."""
        from segtopic.runs.trained import load_run

        return load_run(self.folder)


@contextmanager
def claimed(
    folder: Path,
    config: Any,
    resume: bool,
    overwrite: bool,
    kind: RunKind = TOPICS,
    keep_checkpoints: bool = False,
) -> Iterator[ClaimedRun]:
    """Keep other trainings out of the folder, which must be free, or may be taken.

    Nothing is removed before :meth:`ClaimedRun.make_room`, so that a run is not lost to a training
    that never begins.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(0, "the folder is read-only")
    except OSError as error:
        raise RunError(
            f"{folder}: cannot be written ({error.strerror}); choose another --out"
        ) from None
    try:
        with held(folder):
            for each in (folder, folder / CHECKPOINTS):
                remove_unfinished(each)
            _check(folder, config, resume, overwrite, kind)
            yield ClaimedRun(folder, resume, keep_checkpoints)
    except InUse:
        raise RunError(
            f"{folder}: another training is at work there; wait for it, or choose another --out"
        ) from None
    finally:
        with suppress(OSError):
            folder.rmdir()  # if it is still empty


def _check(folder: Path, config: Any, resume: bool, overwrite: bool, kind: RunKind) -> None:
    if resume:
        _check_the_same(folder, config, kind)
    elif any(folder.iterdir()):
        if not (folder / CONFIG).exists():
            raise RunError(f"{folder}: holds something else than a run; choose another --out")
        if not overwrite:
            raise RunError(
                f"{folder}: holds a run already; go on with --resume, "
                "replace it with --overwrite, or choose another --out"
            )


def _check_the_same(folder: Path, config: Any, kind: RunKind) -> None:
    """Make sure that the folder holds an unfinished run with these settings."""
    if not (folder / CONFIG).exists():
        raise RunError(f"{folder}: there is nothing to resume; train without --resume")
    if (folder / RUN).exists():
        raise RunError(f"{folder}: this training has finished; use --overwrite to repeat it")
    before = load_settings(folder, kind)
    changed = [
        field.name
        for field in dataclasses.fields(config)
        if getattr(config, field.name) not in (None, getattr(before, field.name))
        and field.name not in kind.changeable
    ]
    if changed:
        raise RunError(
            f"{folder}: was started with another {', '.join(changed)}; "
            f"resume with --config {folder / CONFIG}, or choose another --out"
        )


def _clear(folder: Path) -> None:
    """Remove a run: first what says that it is finished, last what says that it is a run."""

    def place(path: Path) -> int:
        return {RUN: 0, CONFIG: 2}.get(path.name, 1)

    try:
        for path in sorted(folder.iterdir(), key=place):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    except OSError as error:
        raise RunError(
            f"{error.filename}: cannot be removed ({error.strerror}); choose another --out"
        ) from None
