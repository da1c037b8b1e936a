"""From ``segtopic train x.csv`` to the first topics, as ratios to tomotopy's LDA in the same run.

SEGTOPIC_DATA=FOLDER python scripts/bench_first_topics.py

Writes 2,000 abstracts to a CSV, starts the command on it anew each time (nothing is in the cache),
and ends it when it shows its first topics. Beside it tomotopy's LDA alone: 200 iterations, one
thread, as many topics, the same words, which it is given ready. Processor time is told besides the
time on the clock, because other programs on the machine lengthen the latter. Medians of several
runs.
"""

import argparse
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from itertools import islice, pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from segtopic.commands.train import FIRST_TOPICS
from segtopic.config import RunConfig, SourceConfig
from segtopic.corpus import prepare_corpus
from segtopic.corpus.records import BadLines, DuplicateIds
from segtopic.corpus.sources import locate, read_documents
from segtopic.model.first_topics import LDA_ETA
from segtopic.runs import RunCorpus


class Times(NamedTuple):
    """Seconds of the processor, and on the clock."""

    processor: float
    clock: float


def write_abstracts(path: Path, number: int) -> None:
    """The first abstracts of the named corpus 'acl'."""
    source = locate(SourceConfig(data="acl"))
    records = read_documents(source, BadLines(), DuplicateIds())
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "text"))
        writer.writerows((record.id, record.text) for record in islice(records, number))


def until(line_begins: str, table: Path, folder: Path) -> Times:
    """Train until a line of the error stream begins so, then end the training."""
    command = [sys.executable, "-m", "segtopic", "train", table.name, "--trainer.threads", "1"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "OMP_NUM_THREADS": "1"}
    started = time.monotonic()
    training = subprocess.Popen(
        [*command, "--out", str(folder / "run")],
        cwd=table.parent,
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert training.stderr is not None
    said = []
    for line in training.stderr:
        said.append(line)
        if line.startswith(line_begins):
            clock = time.monotonic() - started
            training.send_signal(signal.SIGKILL)
            _, _, used = os.wait4(training.pid, 0)
            training.returncode = -signal.SIGKILL
            return Times(used.ru_utime + used.ru_stime, clock)
    sys.exit("the training ended early: " + "".join(said))


def lda_alone(corpus: RunCorpus, n_topics: int, iterations: int) -> Times:
    """tomotopy's own sampler on words that are ready."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import tomotopy

    words = np.array(corpus.vocabulary.words)
    model = tomotopy.LDAModel(k=n_topics, alpha=0.1, eta=LDA_ETA, seed=0)
    train = corpus.train
    for begin, end in pairwise(train.word_offsets):
        model.add_doc(words[train.words[begin:end]].tolist())
    processor, clock = time.process_time(), time.monotonic()
    model.train(iterations, workers=1)
    return Times(time.process_time() - processor, time.monotonic() - clock)


def main() -> None:
    """Print the ratios as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--iterations", type=int, default=200, help="of tomotopy's LDA")
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        table = folder / "abstracts.csv"
        write_abstracts(table, chosen.documents)
        config = RunConfig(data=str(table))
        corpus = RunCorpus.of(prepare_corpus(config, folder / "corpus").load(), config, False)
        n_topics = config.settled(corpus.train.n_documents, corpus.train.n_words).n_topics
        assert n_topics is not None
        ours, alone = [], []
        for run in range(chosen.runs):
            own = folder / str(run)
            own.mkdir()
            alone.append(lda_alone(corpus, n_topics, chosen.iterations))
            ours.append(until(FIRST_TOPICS, table, own))
    result: dict[str, object] = {
        "documents": len(corpus),
        "words": corpus.train.n_words,
        "topics": n_topics,
        "runs": chosen.runs,
    }
    for kind in Times._fields:
        ratios = [getattr(a, kind) / getattr(b, kind) for a, b in zip(ours, alone, strict=True)]
        result[kind] = {
            "first_topics_to_lda": round(median(ratios), 2),
            "all": [round(ratio, 2) for ratio in sorted(ratios)],
            "first_topics_seconds": round(median(getattr(each, kind) for each in ours), 2),
            "lda_seconds": round(median(getattr(each, kind) for each in alone), 2),
        }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
