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
from segtopic.speech.bad_files import BadFiles
from segtopic.speech.filterbanks import FilterBanks
from segtopic.speech.recordings import Features, Recording
from segtopic.speech.sound import facts, read_sound
from segtopic.speech.sources import read_recordings
from segtopic.speech.store import ABOUT, TABLE, FeatureStore, is_features, write_features

Found = tuple[Features, float]
Computed = tuple[Recording, Features, float]
OTHERS_SHIFT = 0.01  # seconds between two inputs that somebody else has computed


def prepare_features(
    sources: Sequence[str],
    config: FeaturesConfig,
    out: Path,
    jobs: int = 1,
    *,
    overwrite: bool = False,
    progress: Callable[[str, int], None] = lambda stage, count: None,
    bad_files: BadFiles | None = None,
) -> FeatureStore:
    """Compute the features of all recordings into a new folder; it is whole or not there.

    Args:
        sources: corpora, lists, folders or files; see :func:`read_recordings`.
        config: how.
        out: the folder; it must be new or empty.
        jobs: processes.
        overwrite: replace features that are in the folder.
        progress: called with a stage and a number of recordings.
        bad_files: counts what was left out; if not given, that is only in the folder.
    """
    _check_free(out, overwrite)
    bad_files = bad_files or BadFiles(config.on_bad_file)
    recordings = read_recordings(sources, config, bad_files)
    banks, recordings = _begun(recordings, config, bad_files)
    rows = _of_one_width(_computed(recordings, banks, config, jobs, bad_files), bad_files)

    def about() -> dict[str, Any]:
        return {"sources": list(sources), "skipped": bad_files.count}

    with unfinished_folder(out) as folder:
        write_features(folder, _counted(rows, progress, sources, bad_files), banks, about)
        _check_free(out, overwrite)
        put_in_place(folder, out)
    return FeatureStore(out)


def _check_free(out: Path, overwrite: bool) -> None:
    if is_features(out):
        if not overwrite:
            raise OutputError(
                f"{out}: holds features already; replace them with --overwrite, or choose another "
                "--out"
            )
        others = sorted({path.name for path in out.iterdir()} - {TABLE, ABOUT})
        if others:
            raise OutputError(
                f"{out}: holds {others[0]} beside its features, which would be lost; choose "
                "another --out"
            )
    elif out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise OutputError(f"{out}: holds something else than features; choose another --out")


def _begun(
    recordings: Iterator[Recording], config: FeaturesConfig, bad_files: BadFiles
) -> tuple[FilterBanks | None, Iterator[Recording]]:
    """How sounds become features, which the first one that can be opened tells, and the rest."""
    for first in recordings:
        try:
            return _banks(first, config), chain([first], recordings)
        except CorpusError as error:
            bad_files.report(error)
    return None, recordings


def _banks(first: Recording, config: FeaturesConfig) -> FilterBanks | None:
    if first.features is not None:
        return None
    rate = config.rate
    if rate is None:
        rate = facts(first.audio[0]).rate
    return FilterBanks(rate=rate, filters=config.filters)


def _counted(
    rows: Iterable[Computed],
    progress: Callable[[str, int], None],
    sources: Sequence[str],
    bad_files: BadFiles,
) -> Iterator[Computed]:
    number = 0
    for number, row in enumerate(rows, start=1):
        progress("computing features", number)
        yield row
    if not number:
        why = f" that can be used ({bad_files.examples[0]})" if bad_files.count else ""
        raise CorpusError(f"{', '.join(sources)}: holds no recordings{why}")


def _of_one_width(rows: Iterable[Computed], bad_files: BadFiles) -> Iterator[Computed]:
    wanted = None
    for recording, features, seconds in rows:
        width = features.shape[1]
        wanted = wanted or width
        if width == wanted:
            yield recording, features, seconds
            continue
        bad_files.report(
            CorpusError(
                f"{recording.name}: has {width} numbers in a frame, but the recordings before it "
                f"have {wanted}; give one kind of features"
            )
        )


def _computed(
    recordings: Iterable[Recording],
    banks: FilterBanks | None,
    config: FeaturesConfig,
    jobs: int,
    bad_files: BadFiles,
) -> Iterator[Computed]:
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
            bad_files.report(error)
        except BrokenProcessPool:
            raise CorpusError(
                "a worker process was killed, perhaps for want of memory; try again with --jobs 1"
            ) from None

    with pool or nullcontext():
        for recording in recordings:
            if recording.name in names:
                raise CorpusError(
                    f"two recordings are called '{recording.name}'; rename one, or give it another "
                    "'name' in its list"
                )
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
        if banks is not None:
            raise CorpusError(f"{recording.name}: is features, but those before it are sounds")
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
