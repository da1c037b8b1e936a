"""``segtopic segment`` over the ACL abstracts: words per second beside gensim, and peak memory.

    python scripts/bench_segment.py [--run runs/ap] [--documents 57212] [--refine] [--workers 2]

The peer cuts the same text into tokens, joins phrases by a frozen ``Phrases`` and infers the
topics of every document by ``LdaModel.inference``, with as many topics as the run; fitting it on
the first documents is not counted. ``ratio`` is that of words per second of the processor, because
the computer may be busy: both have one core, or segtopic's workers have one each and their seconds
are added up. ``ratio_on_the_clock`` is that of seconds as they pass, and means something on a quiet
machine only. Start-up is left out: segtopic's time is that of the whole less that of a quarter,
over the words between. Memory is the largest resident set of the processes that segment a quarter,
a half and all of the documents. The last line is one JSON object.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gensim.corpora import Dictionary
from gensim.models import LdaModel
from gensim.models.phrases import Phrases
from gensim.utils import simple_preprocess

from segtopic.corpus.named import named_corpus, require
from segtopic.runs import load_run

SEGMENT = "import sys; from segtopic.cli import main; sys.exit(main(['segment', *sys.argv[1:]]))"
FITTED, CHUNK = 2000, 256


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--run", default="runs/ap", help="folder of a trained run")
    parser.add_argument("--documents", type=int, default=57_212)
    parser.add_argument("--refine", action="store_true", help="topics refined after the encoder")
    parser.add_argument("--workers", type=int, help="processes of segtopic, with one thread each")
    chosen = parser.parse_args()
    n_topics = load_run(chosen.run).model.n_topics
    n_words = [sum(len(text.split()) for text in texts(chosen.documents // n)) for n in (4, 2, 1)]
    options = ["--refine" if chosen.refine else "--no-refine"]
    options += ["--workers", str(chosen.workers)] if chosen.workers else []
    peaks: list[float] = []
    used: list[Seconds] = []
    for part in (4, 2, 1):
        seconds, peak = segmented(chosen.run, chosen.documents // part, options)
        print(f"{chosen.documents // part:,} documents: {seconds.processor:.1f} s, {peak:.0f} MB")
        used.append(seconds)
        peaks.append(peak)
    peer = inferred(chosen.documents, n_topics)
    more = n_words[2] - n_words[0]
    ours = more / (used[2].processor - used[0].processor)
    theirs = n_words[2] / peer.processor
    on_the_clock = more / (used[2].clock - used[0].clock) / (n_words[2] / peer.clock)
    print(f"segtopic {ours:,.0f} words/s, gensim Phrases and LDA {theirs:,.0f} words/s")
    figures = {
        "documents": chosen.documents,
        "words": n_words[2],
        "n_topics": n_topics,
        "refined": chosen.refine,
        "workers": chosen.workers or 1,
        "words_per_second": round(ours),
        "peer_words_per_second": round(theirs),
        "ratio": round(ours / theirs, 3),
        "ratio_on_the_clock": round(on_the_clock, 3),
        "peak_mb": [round(peak, 1) for peak in peaks],
        "growth_4x": round(peaks[2] / peaks[0], 3),
    }
    print(json.dumps(figures))


class Seconds(NamedTuple):
    """Of some work."""

    processor: float
    clock: float


def texts(n_documents: int) -> Iterator[str]:
    """The first documents."""
    path, _ = require(named_corpus("acl"))
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in islice(lines, n_documents):
            yield json.loads(line)["text"]


def segmented(run: str, n_documents: int, options: list[str]) -> tuple[Seconds, float]:
    """Seconds and peak megabytes of a process that segments the documents."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder, "out.jsonl"))
        arguments = [run, "acl", "--limit", str(n_documents), "--format", "jsonl", "--out", out]
        process = subprocess.Popen(
            [sys.executable, "-c", SEGMENT, *arguments, *options],
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"segtopic segment failed with {os.waitstatus_to_exitcode(status)}")
        with open(out, encoding="utf-8", newline="\n") as lines:
            assert sum(1 for _ in lines) == n_documents
    seconds = Seconds(usage.ru_utime + usage.ru_stime, time.perf_counter() - started)
    return seconds, usage.ru_maxrss / 1024


def inferred(n_documents: int, n_topics: int) -> Seconds:
    """Seconds for phrases and topics of the documents by gensim."""
    tokens = [simple_preprocess(text) for text in texts(min(FITTED, n_documents))]
    phrases = Phrases(tokens, min_count=5, threshold=10).freeze()
    joined = [phrases[document] for document in tokens]
    dictionary = Dictionary(joined)
    dictionary.filter_extremes(no_below=2, no_above=0.5, keep_n=10_000)
    lda = LdaModel(
        [dictionary.doc2bow(document) for document in joined],
        num_topics=n_topics,
        id2word=dictionary,
        random_state=0,
    )
    started, began = time.process_time(), time.perf_counter()
    documents = texts(n_documents)
    while chunk := list(islice(documents, CHUNK)):
        cut = (phrases[simple_preprocess(text)] for text in chunk)
        lda.inference([dictionary.doc2bow(document) for document in cut])
    return Seconds(time.process_time() - started, time.perf_counter() - began)


if __name__ == "__main__":
    main()
