"""What an epoch leaves, so that it survives: checkpoints to go on from, and ``metrics.csv``.

``last.ckpt`` is written after every epoch. The one of the best epoch so far becomes ``best.ckpt``
when the next epoch has ended, so that every epoch is written once. Whenever the training is killed,
one of them is whole, and holds all that the training needs to go on as if nothing had happened, the
lines of ``metrics.csv`` among it.
"""

import csv
import io
import math
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytorch_lightning as pl
import torch
from lightning_fabric.plugins.io.torch_io import TorchCheckpointIO
from pytorch_lightning.callbacks import Callback, Checkpoint

from segtopic.errors import RunError
from segtopic.files import name_also, write_atomically
from segtopic.runs.folder import CHECKPOINTS

LAST, BEST = "last.ckpt", "best.ckpt"
ROOM = "make room, then go on with --resume"


class DamagedCheckpoint(UserWarning):
    """A checkpoint cannot be used, but another one can."""


class WholeCheckpoints(TorchCheckpointIO):
    """Writes a checkpoint under another name first: Lightning moves it across file systems."""

    def save_checkpoint(
        self, checkpoint: dict[str, Any], path: str | Path, storage_options: Any = None
    ) -> None:
        """Serialise in memory, because torch ends the process if it meets a full disk."""
        buffer = io.BytesIO()
        torch.save(checkpoint, buffer)
        path = Path(path)
        try:
            path.parent.mkdir(exist_ok=True)
        except OSError as error:
            reason = error.strerror
            raise RunError(f"{path.parent}: cannot be written ({reason}); {ROOM}") from None
        write_atomically(path, buffer.getbuffer(), ROOM)


class Checkpoints(Checkpoint):
    """Saves the best and the last epoch.

    Args:
        folder: of the run.
        origin: what was trained on what, by name; a training goes on only where all are the same.
        best_by: name of the logged figure that is highest in the best epoch.
    """

    def __init__(self, folder: Path, origin: Mapping[str, Any], best_by: str) -> None:
        self.best, self._last = (folder / CHECKPOINTS / name for name in (BEST, LAST))
        self._last_is_best = False
        self.best_epoch: int | None = None
        self._best_value = -math.inf
        self._origin = dict(origin)
        self._best_by = best_by

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """After all other callbacks, so that their state is that of the whole epoch."""
        value = float(trainer.callback_metrics[self._best_by])
        if self._last_is_best and trainer.is_global_zero:
            self._last.replace(self.best)
        self._last_is_best = value > self._best_value
        if self._last_is_best:
            self._best_value, self.best_epoch = value, trainer.current_epoch
        trainer.save_checkpoint(self._last)

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """There is no next epoch."""
        if self._last_is_best and trainer.is_global_zero:
            name_also(self._last, self.best)

    def state_dict(self) -> dict[str, Any]:
        """Which epoch was the best one, up to this checkpoint."""
        return {
            "best_epoch": self.best_epoch,
            "best_value": self._best_value,
            "origin": self._origin,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """What :meth:`state_dict` gave."""
        self.best_epoch = state_dict["best_epoch"]
        self._best_value = state_dict["best_value"]


class _Found(NamedTuple):
    path: Path
    epoch: int
    best_epoch: int
    origin: dict[str, Any]


def checkpoint_to_resume(folder: Path, origin: Mapping[str, Any]) -> Path | None:
    """The newest checkpoint from which a training can go on; ``None`` if it has to begin.

    Warns if one is damaged and another can be used instead.
    """
    paths = [folder / CHECKPOINTS / name for name in (BEST, LAST)]
    found: list[_Found] = []
    damages: list[str] = []
    missing: list[str] = []  # which is as it should be, if the other one is enough
    for path in paths:
        try:
            found.append(_look_at(path))
        except FileNotFoundError:
            missing.append(f"{path}: is missing")
        except RunError as error:
            damages.append(str(error))
    if not any(path.exists() for path in paths):
        return None
    # The weights of the best epoch must be there, too.
    epochs = {each.epoch for each in found}
    usable = [each for each in found if each.best_epoch in epochs]
    begin = f"begin again with --overwrite, or choose another --out than {folder}"
    if not usable:
        raise RunError(f"{'; '.join([*damages, *missing])}; {begin}")
    newest = max(usable, key=lambda each: each.epoch)
    changed = [name for name, value in origin.items() if newest.origin.get(name) != value]
    if changed:
        raise RunError(
            f"{newest.path}: was made with another {', '.join(changed)}; "
            f"bring that back, or {begin}"
        )
    if damages:
        warnings.warn(
            f"{'; '.join(damages)}; going on after epoch {newest.epoch + 1} from {newest.path}",
            DamagedCheckpoint,
            stacklevel=2,
        )
    if newest.epoch == newest.best_epoch and newest.path.name == LAST:
        write_atomically(paths[0], newest.path.read_bytes())
    return newest.path


def read_checkpoint(path: Path) -> dict[str, Any]:
    """A checkpoint, whole: torch does not compare the check sums that it has written."""
    try:
        with zipfile.ZipFile(path) as archive:
            broken = archive.testzip()
        if broken is not None:
            raise ValueError(f"{broken} has another check sum")
        checkpoint: dict[str, Any] = torch.load(path, weights_only=True, map_location="cpu")
        return checkpoint
    except FileNotFoundError:
        raise
    except Exception as error:  # what is damaged at random breaks in a dozen ways
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise RunError(f"{path}: is damaged ({reason})") from None


def _look_at(path: Path) -> _Found:
    checkpoint = read_checkpoint(path)
    try:
        state = checkpoint["callbacks"][Checkpoints.__qualname__]
        epoch, best_epoch = int(checkpoint["epoch"]), int(state["best_epoch"])
        return _Found(path, epoch, best_epoch, dict(state["origin"]))
    except (KeyError, TypeError, ValueError):
        raise RunError(f"{path}: was written by another version of segtopic") from None


class MetricsFile(Callback):
    """Writes the file anew after every epoch; the lines so far are part of the checkpoint."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[dict[str, float]] = []

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Before the checkpoint of the epoch is written."""
        figures = {name: float(value) for name, value in trainer.callback_metrics.items()}
        figures.pop("train_elbo", None)  # not yet complete here
        self.lines.append({"epoch": trainer.current_epoch + 1, **figures})
        if trainer.is_global_zero:
            self.write()

    def write(self) -> None:
        """The file, with the lines so far."""
        text = io.StringIO()
        names = sorted({name for line in self.lines for name in line} - {"epoch"})
        writer = csv.DictWriter(text, ["epoch", *names], lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.lines)
        write_atomically(self.path, text.getvalue(), ROOM)

    def state_dict(self) -> dict[str, Any]:
        """The lines so far."""
        return {"lines": self.lines}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """The lines up to the checkpoint."""
        self.lines = list(state_dict["lines"])
