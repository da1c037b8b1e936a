"""Preparation of the ACL abstracts against scikit-learn's CountVectorizer, and its peak memory.

    python scripts/bench_corpus.py [--repeat 3]

Times are the best of a few runs, taken in turns in one process, because absolute times do not
travel. Memory is the sum over the process and its workers (proportional set size), sampled while a
separate process prepares the corpus once, and four times over. What is kept for every document is
eight bytes of its name (1.4 MB for the three further copies); the rest of the difference is mostly
free memory that malloc holds. The last line is one JSON object.
"""

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from sklearn.feature_extraction.text import CountVectorizer

from segtopic.config import CorpusConfig
from segtopic.corpus import prepare_corpus
from segtopic.corpus.named import named_corpus, require

PREPARE = """
import sys
from segtopic.config import CorpusConfig
from segtopic.corpus import prepare_corpus
prepare_corpus(CorpusConfig(data=sys.argv[1], text_column="text"), sys.argv[2])
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=2, help="runs of each, the best counts")
    repeat = parser.parse_args().repeat
    source, _ = require(named_corpus("acl"))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        ours, theirs = times(folder, source, repeat)
        print(f"preparation {ours:.2f} s, CountVectorizer {theirs:.2f} s")
        once = folder / "once.jsonl"
        with gzip.open(source) as packed:
            once.write_bytes(packed.read())
        four_times = folder / "four.jsonl"
        four_times.write_bytes(once.read_bytes() * 4)
        peak = peak_megabytes(once, folder / "out-once")
        peak_4x = peak_megabytes(four_times, folder / "out-four")
    growth = peak_4x / peak
    print(f"peak memory {peak:.0f} MB, {peak_4x:.0f} MB ({growth:.3f}) for four times the text")
    figures = {
        "ratio_to_countvectorizer": round(ours / theirs, 3),
        "seconds": round(ours, 2),
        "countvectorizer_seconds": round(theirs, 2),
        "peak_mb": round(peak, 1),
        "peak_mb_4x": round(peak_4x, 1),
        "growth_4x": round(growth, 3),
    }
    print(json.dumps(figures))


def times(folder: Path, source: Path, repeat: int) -> tuple[float, float]:
    """Best seconds of the whole preparation, from the file on, and of counting texts in memory."""
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    ours, theirs = [], []
    for run in range(repeat):
        start = time.perf_counter()
        prepare_corpus(CorpusConfig(data="acl"), folder / f"run-{run}")
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        CountVectorizer().fit_transform(texts)
        theirs.append(time.perf_counter() - start)
    return min(ours), min(theirs)


def peak_megabytes(source: Path, out: Path) -> float:
    """Peak memory of a preparation, workers included."""
    process = subprocess.Popen([sys.executable, "-c", PREPARE, str(source), str(out)])
    watched = psutil.Process(process.pid)
    peak = 0
    while process.poll() is None:
        total = 0
        try:
            for member in (watched, *watched.children(recursive=True)):
                total += member.memory_full_info().pss
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
        peak = max(peak, total)
        time.sleep(0.05)
    if process.returncode:
        raise SystemExit(f"the preparation of {source} failed")
    return peak / 1e6


if __name__ == "__main__":
    main()
