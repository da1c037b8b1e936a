"""``segtopic segment --workers``: how much faster several workers are than one.

    python scripts/bench_workers.py --run runs/acl --data texts.jsonl [--workers 2] [--rounds 3]

One and several workers take turns. Seconds are those of the clock between a quarter of the
documents and all of them, so that start-up is left out. That needs a machine with as many idle
cores as workers. What does not depend on its load is printed too: the processor seconds of the
process that reads and writes, as a share of all. It works alone, so no number of workers can be
faster than one worker divided by that share. The last line is one JSON object.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import psutil

PARTS = (4, 1)


def timed(run: str, data: str, n_documents: int, n_workers: int) -> tuple[float, float, float]:
    """Seconds of the clock, and processor seconds of the first process and of its workers."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["segment", run, data, "--limit", str(n_documents), "--format", "jsonl"]
        arguments += ["--out", str(Path(folder, "out.jsonl")), "--workers", str(n_workers)]
        started = time.monotonic()
        process = psutil.Popen(
            [sys.executable, "-m", "segtopic", *arguments], stderr=subprocess.DEVNULL
        )
        own = workers = 0.0
        while process.poll() is None:
            try:
                used = process.cpu_times()
                own = used.user + used.system
                times = [each.cpu_times() for each in process.children(recursive=True)]
                workers = max(workers, sum(each.user + each.system for each in times))
            except psutil.Error:
                pass
            time.sleep(0.05)
        if process.returncode:
            raise SystemExit(f"segtopic segment failed with {process.returncode}")
        return time.monotonic() - started, own, workers


def main() -> None:
    """Measure in turns."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--run", required=True, help="folder of a trained run")
    parser.add_argument("--data", required=True, help="documents to segment")
    parser.add_argument("--documents", type=int, default=2_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    ratios, shares = [], []
    for _ in range(chosen.rounds):
        clock = {}
        for n_workers in (1, chosen.workers):
            small, large = (
                timed(chosen.run, chosen.data, chosen.documents // part, n_workers)
                for part in PARTS
            )
            clock[n_workers], own, workers = (b - a for a, b in zip(small, large, strict=True))
            shares.append(own / (own + workers))
        ratios.append(clock[1] / clock[chosen.workers])
        print(f"{chosen.workers} workers: {ratios[-1]:.2f} times as fast as one")
    figures = {
        "documents": chosen.documents,
        "workers": chosen.workers,
        "speed_up": round(median(ratios), 3),
        "share_of_first_process": round(median(shares), 4),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
