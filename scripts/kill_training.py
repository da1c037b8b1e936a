"""Kill trainings at random moments, go on with each, and compare with an undisturbed one.

    scripts/kill_training.py --kills 20

Half of the trainings are killed at a random time, the others right before a random operation on a
file of theirs: while the corpus is prepared, a checkpoint is written, or a file is replaced. The
same command with --resume (without, if the training had not yet begun) must then end with the same
bytes in every file that the undisturbed training has left, and with no file more. The last line is
one JSON object. The exit code is 1 if any training ended otherwise.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import segtopic.commands.train  # noqa: E402, F401  (imported once, then forked)
from segtopic.cli import main  # noqa: E402
from tests.training.planted import planted_file  # noqa: E402

# What is left by the showing that follows a finished training; whoever shows it again makes it.
SHOWING = ("run/comparison.json", "cache/segtopic/topics")
SETTINGS = "--n-topics 3 --hidden-size 16 --encoder-size 16 --batch-size 16 --epochs 14"
SETTINGS += " --patience 2 --learning-rate 0.2 --kl-warmup 1 --dropout 0.1 --test-share 0"
SETTINGS += " --trainer.accelerator cpu --trainer.threads 1"
COMPARED = ("metrics.csv", "model.safetensors", "vocabulary.txt", "corpus.json", "config.yaml")
FILE_OPERATIONS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")


class Training:
    """One training, in a folder and with a cache of its own."""

    def __init__(self, folder: Path, source: Path) -> None:
        self.folder, self.source = folder, source
        self.run, self.cache = folder / "run", folder / "cache"
        folder.mkdir()

    def start(self, resume: bool = False, kill_at: int | None = None) -> int:
        """Fork a process that trains; it kills itself before that operation on a file."""
        if process := os.fork():
            return process
        os.environ["XDG_CACHE_HOME"] = str(self.cache)
        with (self.folder / "output.txt").open("a") as output:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        watch_files(self.folder, self.folder / "operations.txt", kill_at)
        arguments = ["train", "--data", str(self.source), "--out", str(self.run), *SETTINGS.split()]
        code = 70
        try:
            code = main(arguments + ["--resume"] * resume)
        finally:
            os._exit(code)

    def state(self) -> str:
        """How far the training has come."""
        if not (self.run / "config.yaml").exists():
            return "preparing"
        if (self.run / "run.json").exists():
            return "finished"
        if not (self.run / "checkpoints" / "last.ckpt").exists():
            return "first epoch"
        return "later epoch"

    def result(self) -> dict[str, object]:
        """Everything that must not differ: contents, results but for the time, names of files."""
        results = json.loads((self.run / "run.json").read_text())
        contents = {name: (self.run / name).read_bytes() for name in COMPARED}
        del results["seconds"], results["digest"]
        names = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}
        names = {name for name in names if not name.startswith(("run/tensorboard/", "o", *SHOWING))}
        return {**contents, **results, "names": sorted(names)}

    def output(self) -> str:
        """What was printed."""
        return (self.folder / "output.txt").read_text()


def watch_files(folder: Path, journal: Path, kill_at: int | None) -> None:
    """Note each operation on a file in the folder, and die right before the chosen one."""
    descriptor = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    count = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        path = str(arguments[0]) if event in FILE_OPERATIONS else ""
        if not path.startswith(str(folder)) or "tensorboard" in path:
            return
        os.write(descriptor, f"{event} {Path(path).name}\n".encode())
        if count == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        count += 1

    sys.addaudithook(hook)


def wait(process: int) -> int:
    """The exit code; minus the signal for a process that was killed."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def kill_and_resume(
    training: Training, start: Callable[[], int], undisturbed: dict[str, object]
) -> tuple[str, str | None]:
    """Where it was killed, and what went wrong afterwards, if anything did."""
    start()
    moment = training.state()
    if moment != "finished":
        code = wait(training.start(resume=moment != "preparing"))
        if code != 0:
            return moment, f"exit code {code}: {training.output()[-1000:]}"
    found = training.result()
    different = [name for name, value in undisturbed.items() if found.get(name) != value]
    return moment, f"other {', '.join(different)}" if different else None


def killed_before(training: Training, operation: int) -> int:
    """Exit code of a training that is killed right before an operation on a file."""
    return wait(training.start(kill_at=operation))


def killed_after(training: Training, seconds: float) -> int:
    """Exit code of a training that is killed after some time."""
    process = training.start()
    time.sleep(seconds)
    os.kill(process, signal.SIGKILL)
    return wait(process)


def main_program() -> int:
    """Kill, resume, compare, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    generator = random.Random(chosen.seed)
    moments: Counter[str] = Counter()
    failures = []
    with tempfile.TemporaryDirectory(prefix="kill-training-") as name:
        folder = Path(name)
        source = planted_file(folder, n_documents=75)
        whole = Training(folder / "whole", source)
        began = time.monotonic()
        if code := wait(whole.start()):
            sys.exit(f"the undisturbed training ended with {code}: {whole.output()}")
        seconds = time.monotonic() - began
        undisturbed = whole.result()
        operations = (whole.folder / "operations.txt").read_text().splitlines()
        for number in range(chosen.kills):
            training = Training(folder / f"killed{number}", source)
            start: Callable[[], int]
            if number % 2:
                at = generator.randrange(len(operations))
                where = f"before {operations[at]}"
                start = partial(killed_before, training, at)
            else:
                delay = generator.uniform(0, seconds)
                where = f"after {delay:.2f} s of {seconds:.2f}"
                start = partial(killed_after, training, delay)
            moment, failure = kill_and_resume(training, start, undisturbed)
            moments[moment] += 1
            print(f"{number + 1:3d}  {moment:<12} {where}: {failure or 'the same'}", flush=True)
            if failure:
                failures.append(f"{where}: {failure}")
    result = {
        "kills": chosen.kills,
        "identical": chosen.kills - len(failures),
        "moments": dict(moments),
        "epochs": undisturbed["epochs"],
        "seconds_of_a_training": round(seconds, 2),
        "failures": failures,
    }
    print(json.dumps(result))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main_program())
