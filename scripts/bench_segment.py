"""``segtopic segment`` over the ACL abstracts: words per second beside gensim, and peak memory.

    python scripts/bench_segment.py [--run runs/ap] [--documents 57212] [--no-refine]

The peer cuts the same text into tokens, joins phrases by a frozen ``Phrases`` and infers the
topics of every document by ``LdaModel.inference``, with as many topics as the run; fitting it on
the first documents is not counted. Both have one core, and seconds are those of the processor,
because the computer may be busy. Start-up is left out: segtopic's time is that of the whole less
that of a quarter, over the words between. Memory is the largest resident set of three processes,
that segment a quarter, a half and all of the documents. The last line is one JSON object.
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
    parser.add_argument("--no-refine", action="store_true", help="topics by the encoder alone")
    chosen = parser.parse_args()
    n_topics = load_run(chosen.run).model.n_topics
    n_words = [sum(len(text.split()) for text in texts(chosen.documents // n)) for n in (4, 2, 1)]
    options = ["--no-refine"] if chosen.no_refine else []
    peaks, seconds = [], []
    for part in (4, 2, 1):
        used, peak = segmented(chosen.run, chosen.documents // part, options)
        print(f"{chosen.documents // part:,} documents: {used:.1f} s, {peak:.0f} MB")
        seconds.append(used)
        peaks.append(peak)
    ours = (n_words[2] - n_words[0]) / (seconds[2] - seconds[0])
    theirs = n_words[2] / inferred(chosen.documents, n_topics)
    print(f"segtopic {ours:,.0f} words/s, gensim Phrases and LDA {theirs:,.0f} words/s")
    figures = {
        "documents": chosen.documents,
        "words": n_words[2],
        "n_topics": n_topics,
        "refined": not chosen.no_refine,
        "words_per_second": round(ours),
        "peer_words_per_second": round(theirs),
        "ratio": round(ours / theirs, 3),
        "peak_mb": [round(peak, 1) for peak in peaks],
        "growth_4x": round(peaks[2] / peaks[0], 3),
    }
    print(json.dumps(figures))


def texts(n_documents: int) -> Iterator[str]:
    """The first documents."""
    path, _ = require(named_corpus("acl"))
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in islice(lines, n_documents):
            yield json.loads(line)["text"]


def segmented(run: str, n_documents: int, options: list[str]) -> tuple[float, float]:
    """Seconds of the processor and peak megabytes of a process that segments the documents."""
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
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def inferred(n_documents: int, n_topics: int) -> float:
    """Seconds of the processor for phrases and topics of the documents by gensim."""
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
    started = time.process_time()
    documents = texts(n_documents)
    while chunk := list(islice(documents, CHUNK)):
        cut = (phrases[simple_preprocess(text)] for text in chunk)
        lda.inference([dictionary.doc2bow(document) for document in cut])
    return time.process_time() - started


if __name__ == "__main__":
    main()
