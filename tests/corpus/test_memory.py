"""The memory of a preparation does not grow with the number of documents."""

import json
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pytest

from segtopic.config import CorpusConfig
from segtopic.corpus import parallel, prepare_corpus, records
from tests.corpus.conftest import STORIES

ROOT = Path(__file__).parents[2]


def write_stories(path, n_documents):
    rows = ({"id": f"s{i}", "text": STORIES[i % len(STORIES)]} for i in range(n_documents))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def peak_bytes(source, out):
    """Peak of all that Python, numpy and Arrow allocate in this process."""
    tracemalloc.start()
    try:
        prepare_corpus(CorpusConfig(data=str(source)), out, jobs=1)
        return tracemalloc.get_traced_memory()[1] + pa.default_memory_pool().max_memory()
    finally:
        tracemalloc.stop()


def test_four_times_the_documents_take_the_same_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(parallel, "BATCH_CHARACTERS", 1 << 14)
    monkeypatch.setattr(records, "MOST_LATEST", 1 << 8)
    n_documents = 4000  # more than a block of the reader
    sources = [write_stories(tmp_path / f"{n}.jsonl", n * n_documents) for n in (1, 4)]
    prepare_corpus(CorpusConfig(data=str(sources[0])), tmp_path / "first", jobs=1)  # imports
    once = peak_bytes(sources[0], tmp_path / "once")
    four_times = peak_bytes(sources[1], tmp_path / "four")
    eight_bytes_a_name = 8 * 3 * n_documents
    assert four_times < 1.05 * once + eight_bytes_a_name


COLLECT_WHILE_WORKERS_RUN = """
import gc, multiprocessing, re, sys
from pathlib import Path
from segtopic.config import CorpusConfig
from segtopic.corpus import parallel, prepare_corpus

parallel.BATCH_CHARACTERS, parallel.SERIAL_BATCHES = 10_000, 1
copied = []

def own_kilobytes():
    rollup = Path("/proc/self/smaps_rollup").read_text()
    return sum(map(int, re.findall(r"^Private_\\w+:\\s+(\\d+)", rollup, re.MULTILINE)))

def collect(stage, documents):
    if stage == "reading" and multiprocessing.active_children():
        before = own_kilobytes()
        gc.collect()
        copied.append(own_kilobytes() - before)

kept = [[] for _ in range(300_000)]
prepare_corpus(CorpusConfig(data=sys.argv[1]), sys.argv[2], jobs=2, progress=collect)
assert not gc.get_freeze_count()
print(max(copied))
"""


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's /proc")
def test_a_collection_copies_no_memory_that_the_workers_share(tmp_path):
    source = write_stories(tmp_path / "stories.jsonl", 2000)
    done = subprocess.run(
        [sys.executable, "-c", COLLECT_WHILE_WORKERS_RUN, source, tmp_path / "out"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) < 4_000  # of more than 30 MB of small objects
