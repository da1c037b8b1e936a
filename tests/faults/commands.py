"""Commands as a user types them, and what must be true when they are refused."""

import subprocess
import warnings

from segtopic.cli import main
from segtopic.commands.train import train
from segtopic.config import TrainerConfig
from segtopic.runs.folder import GRAMMAR, TOPICS
from segtopic.training.system import Collapse

# The files of a finished run; planted words follow no grammar.
SEALED = tuple(name for name in TOPICS.sealed if name != GRAMMAR)
ONE_THREAD = TrainerConfig(accelerator="cpu", threads=1)
SMALL = "--n-topics 3 --hidden-size 8 --encoder-size 8 --batch-size 16 --learning-rate 0.01"
SMALL += " --kl-warmup 1 --dropout 0.1 --test-share 0 --trainer.accelerator cpu --trainer.threads 1"


def train_quietly(*arguments, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Collapse)
        return train(*arguments, **settings)


def train_arguments(source, folder, epochs=2):
    wanted = ["train", "--data", str(source), "--out", str(folder), "--epochs", str(epochs)]
    return [*wanted, *SMALL.split()]


def refused(arguments, capsys):
    """The one sentence of a command that ends with exit code 2."""
    capsys.readouterr()
    assert main([str(each) for each in arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    sentences = [line for line in printed.err.splitlines() if line.startswith("segtopic: ")]
    assert len(sentences) == 1, printed.err
    assert "Traceback" not in printed.err
    return sentences[0]


def can_mount(folder):
    """Whether a file system of one megabyte can be made here."""
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if done.returncode == 0:
        subprocess.run(["umount", str(folder)], check=True)
    return done.returncode == 0
