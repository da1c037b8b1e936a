"""Memory and time of counting phrases, by the number of words: the part that grew most.

    python scripts/bench_counts.py [--words 20000000 100000000]

Words are independent, with the frequencies of Zipf's law over 10,000 of them, in spans of one to
five. Real text repeats itself more, so this is the harder case: fewer sequences come again, and
more of them are different. Each size is a process of its own; memory is its peak of what is not
mapped from files (``RssAnon``), looked at five times a second.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

VOCABULARY, SPANS, MAX_LENGTH = 10_000, 5, 3
WORDS_OF_DOCUMENT = 80
PART = 1 << 22


def count(n_words: int) -> None:
    """The child: makes the text, counts it, prints seconds and sizes."""
    from segtopic.corpus.documents import Documents, _room
    from segtopic.model.phrase_memory import PhraseMemory

    generator = np.random.default_rng(0)
    odds = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    words = _room(n_words, np.dtype(np.int32))
    for begin in range(0, n_words, PART):
        few = generator.random(min(PART, n_words - begin)) * odds[-1]
        words[begin : begin + len(few)] = np.searchsorted(odds, few)
    lengths = generator.integers(1, SPANS + 1, n_words // 3 + n_words // 8).astype(np.int32)
    spans = lengths[: np.searchsorted(np.cumsum(lengths), n_words)]
    words = words[: int(spans.sum())]
    per_document = WORDS_OF_DOCUMENT // 3
    n_documents = len(spans) // per_document
    sizes = np.full(n_documents, per_document)
    sizes[-1] += len(spans) - per_document * n_documents
    documents = Documents(words, spans, sizes)
    memory = PhraseMemory(VOCABULARY, MAX_LENGTH)
    before = time.process_time()
    memory.learn(documents)
    kept = [len(memory.get_buffer(f"counts_{length}")) for length in range(2, MAX_LENGTH + 1)]
    seconds = round(time.process_time() - before, 1)
    print(json.dumps({"words": len(words), "processor_seconds": seconds, "kept": kept}))


def main() -> None:
    """Measure each size in a process of its own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, nargs="+", default=[20_000_000, 100_000_000])
    parser.add_argument("--count", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.count:
        count(chosen.count)
        return
    for n_words in chosen.words:
        command = [sys.executable, __file__, "--count", str(n_words)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        peak = 0
        while process.poll() is None:
            status = Path(f"/proc/{process.pid}/status").read_text().splitlines()
            own = [line.split()[1] for line in status if line.startswith("RssAnon")]
            peak = max(peak, int(own[0]) if own else 0)
            time.sleep(0.2)
        output, _ = process.communicate()
        if process.returncode:
            raise SystemExit(process.returncode)
        print(json.dumps({**json.loads(output), "own_mb": peak // 1024}), flush=True)


if __name__ == "__main__":
    main()
