"""What an interrupted training leaves, and the command that goes on with it."""

from pathlib import Path


def how_to_go_on(folder: Path, command: str = "train") -> str:
    """For people, in one sentence."""
    from segtopic.runs.folder import CHECKPOINTS, CONFIG
    from segtopic.training.checkpoints import LAST

    if not (folder / CONFIG).exists():
        return "the training had not begun, nothing was kept; repeat the command"
    again = f"segtopic {command} --config {folder / CONFIG} --out {folder} --resume"
    if not (folder / CHECKPOINTS / LAST).exists():
        return f"the first epoch had not ended; begin it again with '{again}'"
    return f"all epochs that had ended are saved; go on with '{again}'"
