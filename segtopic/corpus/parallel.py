"""Documents in, their tokens out, in order, on all cores; memory is bounded by a few batches."""

import gc
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial

from segtopic.corpus.records import Record, batches
from segtopic.corpus.spans import SpanRules
from segtopic.corpus.tokenise import TokenBatch, Tokeniser
from segtopic.engine import Engine, a_few_ahead, end_with_parent
from segtopic.errors import CorpusError

# Small enough that batches in flight, and what is computed from them, take little memory; large
# enough that numpy has work to do. A million characters took 50 MB more.
BATCH_CHARACTERS = 1 << 18
# Starting processes costs more than it gains for less text than this.
SERIAL_BATCHES = 16


def n_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def tokenised(
    records: Iterable[Record], rules: SpanRules, jobs: int, engine: Engine | None = None
) -> Iterator[tuple[list[Record], TokenBatch]]:
    """Batches of documents, each with its tokens; by so many processes, or by an engine."""
    # One more for each document, so that empty ones fill a batch, too.
    waiting = batches(records, lambda record: len(record.text) + 1, BATCH_CHARACTERS)
    if engine is not None:
        yield from engine.map(partial(_start_tokenising, rules), waiting)
        return
    tokeniser = rules.tokeniser()
    for number, batch in enumerate(waiting, 1):
        yield batch, tokeniser.batch([record.text for record in batch])
        if jobs > 1 and number == SERIAL_BATCHES:
            break
    else:
        return
    yield from _in_processes(waiting, rules, jobs, tokeniser)


def _start_tokenising(rules: SpanRules) -> Callable[[list[Record]], TokenBatch]:
    tokeniser = rules.tokeniser()
    return lambda batch: tokeniser.batch([record.text for record in batch])


def _in_processes(
    batched: Iterator[list[Record]], rules: SpanRules, jobs: int, tokeniser: Tokeniser
) -> Iterator[tuple[list[Record], TokenBatch]]:
    # On Linux a forked process has everything imported already, and knows the pieces that were read
    # so far; elsewhere forking is not safe.
    global _inherited
    method = "fork" if sys.platform == "linux" else "spawn"
    _inherited = tokeniser if method == "fork" else None
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context(method), _start_worker, (rules,))
    # A full collection writes to every object that it looks at, and what a process writes to is no
    # longer shared with the others; neither they nor this one shall look at what is there already.
    gc.freeze()

    def submit(batch: list[Record]) -> Future[TokenBatch]:
        return pool.submit(_tokenise, [record.text for record in batch])

    try:
        for batch, tokens in a_few_ahead(submit, batched, jobs):
            yield batch, tokens.result()
    except BrokenProcessPool:
        raise CorpusError(
            "a worker process was killed, perhaps for want of memory; try again with --jobs 1"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)
        gc.unfreeze()
        _inherited = None


_inherited: Tokeniser | None = None
_worker: Tokeniser


def _start_worker(rules: SpanRules) -> None:
    global _worker
    _worker = _inherited or rules.tokeniser()
    end_with_parent()


def _tokenise(texts: list[str]) -> TokenBatch:
    return _worker.batch(texts)
