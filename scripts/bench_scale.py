"""What many documents cost, from one end to the other: time and peak memory of each command.

    python scripts/bench_scale.py --run runs/acl5000 --documents 50000 200000 1000000

The texts are drawn once from a trained run (``segtopic sample``), as many as the largest size
needs; smaller sizes are the first of them. Then each command is a process of its own with one
thread: ``prepare``, ``train`` (on the prepared corpus), ``evaluate`` and ``segment``, by the model
that was just trained, of all documents; ``--workers`` such processes segment. ``--epochs`` and
``--epoch-documents`` go to the training.

Memory is the largest sum, over the processes of a command, of what is their own (``RssAnon``);
pages of mapped files, which the system takes back when it needs room, stand beside it. Every row is
kept in ``--out`` as it is measured; a row that is there is not measured again.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import results

SECONDS_BETWEEN_LOOKS = 0.2
STEPS = ("sample", "prepare", "train", "evaluate", "segment")
ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def measured(command: list[str], done: int) -> results.Result:
    """Run a command on so many documents; seconds, processor seconds, peak memory in megabytes."""
    started = time.monotonic()
    process = psutil.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ONE_THREAD
    )
    peaks = {"processor_seconds": 0.0, "own_mb": 0.0, "mapped_mb": 0.0}
    try:
        while process.poll() is None:
            for name, value in _now(process).items():
                peaks[name] = max(peaks[name], value)
            time.sleep(SECONDS_BETWEEN_LOOKS)
    finally:
        if process.poll() is None:
            process.kill()
    output = process.communicate()[0].decode().strip()
    if process.returncode:
        sys.exit(f"{' '.join(command)}: {output}")
    figures = {"seconds": time.monotonic() - started, **peaks}
    return {"done": done, **{name: round(value, 1) for name, value in figures.items()}}


def _now(process: psutil.Process) -> dict[str, float]:
    """Of a process and its children together."""
    found = {"processor_seconds": 0.0, "own_mb": 0.0, "mapped_mb": 0.0}
    try:
        for each in (process, *process.children(recursive=True)):
            for line in Path(f"/proc/{each.pid}/status").read_text().splitlines():
                name, _, value = line.partition(":")
                if name in ("RssAnon", "RssFile"):
                    key = "own_mb" if name == "RssAnon" else "mapped_mb"
                    found[key] += int(value.split()[0]) / 1024
            times = each.cpu_times()
            found["processor_seconds"] += times.user + times.system
    except (psutil.Error, OSError):
        pass  # one of them has just ended
    return found


def commands(chosen: argparse.Namespace, size: int) -> Iterator[tuple[str, int, list[str]]]:
    """Of each step its name, its documents and its command."""
    segtopic = [sys.executable, "-m", "segtopic"]
    texts, folder = str(chosen.folder / "texts.jsonl"), chosen.folder / str(size)
    corpus, run = str(folder / "corpus"), str(folder / "run")
    read = ["--limit", str(size)]
    drawn = ["--documents", str(size), "--out", texts, "--overwrite"]
    learned = ["--out", run, "--overwrite", "--trainer.threads", "1"]
    learned += ["--epochs", str(chosen.epochs), "--epoch-documents", str(chosen.epoch_documents)]
    written = ["--format", "jsonl", "--out", str(folder / "phrases.jsonl"), "--overwrite"]
    if size == max(chosen.documents):
        yield "sample", size, [*segtopic, "sample", str(chosen.run), *drawn]
    yield "prepare", size, [*segtopic, "prepare", texts, *read, "--out", corpus, "--jobs", "1"]
    yield "train", size, [*segtopic, "train", corpus, *learned]
    yield "evaluate", size // 10, [*segtopic, "evaluate", run]
    shared = ["--workers", str(chosen.workers)]
    yield "segment", size, [*segtopic, "segment", run, texts, *read, *written, *shared]


def main() -> None:
    """Measure what is missing, then print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--run", type=Path, help="a trained run to draw documents from")
    parser.add_argument("--documents", type=int, nargs="+", default=[50_000, 200_000, 1_000_000])
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--epoch-documents", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2, help="processes that segment")
    parser.add_argument("--folder", type=Path, default=Path("runs/scale"), help="for all files")
    parser.add_argument("--out", type=Path, default=Path("docs/results/scale.json"))
    parser.add_argument("--only", nargs="+", choices=STEPS, default=STEPS)
    chosen = parser.parse_args()
    for size in sorted(chosen.documents, reverse=True):  # the largest draws the texts of all
        (chosen.folder / str(size)).mkdir(parents=True, exist_ok=True)
        for step, done, command in commands(chosen, size):
            if step in chosen.only:
                results.keep(chosen.out, f"{step}, {size}", partial(measured, command, done))
    rows = []
    for name, row in results.read(chosen.out).items():
        step, size = name.split(", ")
        each = 1000 * row["processor_seconds"] / row["done"]
        figures = (f"{row['done']:,}", f"{row['processor_seconds']:,.0f}", f"{each:.2f}")
        memory = (f"{row['own_mb']:,.0f}", f"{row['mapped_mb']:,.0f}")
        rows.append((f"{int(size):,}", step, *figures, *memory))
    header = ("documents", "step", "done", "processor s", "ms each", "own MB", "mapped MB")
    print("\n".join(results.table(header, rows)))


if __name__ == "__main__":
    main()
