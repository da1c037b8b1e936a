"""``segtopic swan features``: recordings to features, on several cores, in constant memory."""

import multiprocessing
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from segtopic.config.speech import FeaturesConfig
from segtopic.errors import CorpusError, OutputError
from segtopic.files import put_in_place, unfinished_folder
from segtopic.speech.filterbanks import FilterBanks
from segtopic.speech.recordings import Features, Recording
from segtopic.speech.sound import facts, read_sound
from segtopic.speech.sources import read_recordings
from segtopic.speech.store import FeatureStore, is_features, write_features

Found = tuple[Features, float]
OTHERS_SHIFT = 0.01  # seconds between two inputs that somebody else has computed
SHOWN = 3


class Skipped:
    """Recordings that could not be used: how many, and the first few."""

    def __init__(self) -> None:
        self.count = 0
        self.examples: list[str] = []

    def add(self, reason: str) -> None:
        """One more."""
        self.count += 1
        if len(self.examples) < SHOWN:
            self.examples.append(reason)


def prepare_features(
    sources: Sequence[str],
    config: FeaturesConfig,
    out: Path,
    jobs: int = 1,
    progress: Callable[[str, int], None] = lambda stage, count: None,
    skipped: Skipped | None = None,
) -> FeatureStore:
    """Compute the features of all recordings into a new folder; it is whole or not there.

    Args:
        sources: a corpus, a list, folders or files; see :func:`read_recordings`.
        config: how.
        out: the folder; one that holds features is replaced, any other must not be there.
        jobs: processes.
        progress: called with a stage and a number of recordings.
        skipped: counts what was left out.
    """
    if out.exists() and not is_features(out) and (not out.is_dir() or any(out.iterdir())):
        raise OutputError(f"{out}: is there already and holds no features; choose another --out")
    skipped = skipped or Skipped()
    recordings = read_recordings(sources, config)
    first = next(recordings, None)
    if first is None:
        raise CorpusError(f"{', '.join(sources)}: holds no recordings")
    banks = _banks(first, config)
    rows = _computed(chain([first], recordings), banks, config, jobs, skipped)

    def about() -> dict[str, Any]:
        return {"sources": list(sources), "skipped": skipped.count}

    with unfinished_folder(out) as folder:
        write_features(folder, _counted(rows, progress), banks, about)
        put_in_place(folder, out)
    return FeatureStore(out)


def _banks(first: Recording, config: FeaturesConfig) -> FilterBanks | None:
    if first.features is not None:
        return None
    rate = config.rate
    if rate is None:
        rate = facts(first.audio[0]).rate
    return FilterBanks(rate=rate, filters=config.filters)


def _counted(
    rows: Iterable[tuple[Recording, Features, float]], progress: Callable[[str, int], None]
) -> Iterator[tuple[Recording, Features, float]]:
    for number, row in enumerate(rows, start=1):
        progress("computing features", number)
        yield row


def _computed(
    recordings: Iterable[Recording],
    banks: FilterBanks | None,
    config: FeaturesConfig,
    jobs: int,
    skipped: Skipped,
) -> Iterator[tuple[Recording, Features, float]]:
    """In order; only a few are under way at a time."""
    names: set[str] = set()
    waiting: deque[tuple[Recording, Future[Found] | Any]] = deque()
    method = "fork" if sys.platform == "linux" else "spawn"
    pool = (
        ProcessPoolExecutor(jobs, multiprocessing.get_context(method))
        if jobs > 1 and banks is not None
        else None
    )

    def done(recording: Recording, result: Callable[[], Found]) -> Iterator[Any]:
        try:
            yield (recording, *result())
        except CorpusError as error:
            if config.on_bad_file == "error":
                raise
            skipped.add(str(error))
        except BrokenProcessPool:
            raise CorpusError(
                "a worker process was killed, perhaps for want of memory; try again with --jobs 1"
            ) from None

    with pool or nullcontext():
        for recording in recordings:
            if recording.name in names:
                raise CorpusError(f"two recordings are called '{recording.name}'; rename one")
            names.add(recording.name)
            if pool is None:
                yield from done(recording, partial(_features, recording, banks, config))
                continue
            waiting.append((recording, pool.submit(_features, recording, banks, config)))
            if len(waiting) > 4 * jobs:
                finished, future = waiting.popleft()
                yield from done(finished, future.result)
        for finished, future in waiting:
            yield from done(finished, future.result)


def _features(recording: Recording, banks: FilterBanks | None, config: FeaturesConfig) -> Found:
    if recording.features is not None:
        return recording.features, len(recording.features) * OTHERS_SHIFT
    if banks is None:
        raise CorpusError(f"{recording.name}: is a sound, but those before it are features")
    samples = np.concatenate(
        [read_sound(path, banks.rate, config.max_seconds) for path in recording.audio]
    )
    found, seconds = banks.features(samples), len(samples) / banks.rate
    if seconds > config.max_seconds:
        raise CorpusError(f"{recording.name}: lasts {seconds:,.0f} seconds; raise max_seconds")
    if not len(found):
        raise CorpusError(
            f"{recording.name}: lasts {1000 * seconds:.0f} milliseconds, which is no whole frame "
            f"of {banks.frame:g}; leave it out"
        )
    return found, seconds
