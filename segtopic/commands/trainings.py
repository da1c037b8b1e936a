"""What the commands that train share: flags, the run's folder, how an interrupted one goes on."""

import os
import warnings
from pathlib import Path

from segtopic.commands.arguments import CommandParser

# What tells a process its number; the first that is set counts, as for Lightning.
RANKS = ("RANK", "LOCAL_RANK", "SLURM_PROCID", "JSM_NAMESPACE_RANK")


def add_run_flags(parser: CommandParser) -> None:
    """Where the run goes, and what becomes of a run that is there."""
    parser.add_argument("--out", type=str, help="folder of the run; runs/NAME if not given")
    parser.add_argument("--resume", action="store_true", help="go on with an interrupted training")
    parser.add_argument("--overwrite", action="store_true", help="replace the run in the folder")
    parser.add_argument(
        "--keep-checkpoints",
        action="store_true",
        help="keep what a training can be resumed from when it has finished",
    )


def run_folder(out: str | None, data: str) -> Path:
    """The folder that was asked for, or one named after the source.

    >>> run_folder(None, "texts/ap.jsonl.gz").as_posix(), run_folder(None, "-").as_posix()
    ('runs/ap', 'runs/standard-input')
    """
    name = "standard-input" if data == "-" else Path(data).name.partition(".")[0]
    return Path(out or Path("runs") / name)


def starts_alone() -> bool:
    """Whether this is the first of the processes that train together; known without Lightning."""
    ranks = (os.environ.get(name) for name in RANKS)
    first = next((rank for rank in ranks if rank is not None), "0") == "0"
    return first and os.environ.get("NODE_RANK", "0") == "0"


def warn_in_one_line() -> None:
    """Warnings as the user's language has them, without the line of code."""
    warnings.formatwarning = lambda message, *_: f"segtopic: warning: {message}\n"


def how_to_go_on(folder: Path, command: str = "train") -> str:
    """What an interrupted training leaves, and the command that goes on with it."""
    from segtopic.runs.folder import CHECKPOINTS, CONFIG
    from segtopic.training.checkpoints import BEST, LAST

    if not (folder / CONFIG).exists():
        return "the training had not begun, nothing was kept; repeat the command"
    again = f"segtopic {command} --config {folder / CONFIG} --out {folder} --resume"
    if not any((folder / CHECKPOINTS / name).exists() for name in (LAST, BEST)):
        return f"the first epoch had not ended; begin it again with '{again}'"
    return f"all epochs that had ended are saved; go on with '{again}'"
