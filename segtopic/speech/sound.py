"""Sound files in, samples of one channel at one rate out.

Every format that libsndfile reads: wav, flac, ogg, NIST sphere. Several channels become their mean,
other rates are resampled. What cannot be used is refused in one sentence.
"""

from collections.abc import Iterator
from math import gcd
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segtopic.errors import CorpusError
from segtopic.speech.extra import soundfile

SUFFIXES = (".wav", ".flac", ".ogg", ".sph", ".aif", ".aiff")
LOWEST_RATE, HIGHEST_RATE = 4_000, 384_000
MOST_CHANNELS = 64
# A wav file of a program that did not know how long it would become states such a length or more.
NO_LENGTH = 0x7FFF_0000
Samples = NDArray[np.float32]


class Facts(NamedTuple):
    """What a file says of itself."""

    rate: int
    channels: int
    seconds: float


def sounds_in(folder: Path) -> list[Path]:
    """All sound files of a folder and of the folders in it, by their endings."""
    found = (path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    return sorted(path for path in found if not path.is_dir())


def facts(path: Path) -> Facts:
    """Look at a file's head."""
    with _opened(path) as file:
        return Facts(file.samplerate, file.channels, file.frames / file.samplerate)


def read_sound(path: Path, rate: int, max_seconds: float) -> Samples:
    """``(N,)``: the whole sound, between minus one and one.

    Args:
        path: of the file.
        rate: samples a second that are wanted.
        max_seconds: a longer one is refused.
    """
    with _opened(path) as file:
        seconds = file.frames / file.samplerate
        if seconds > max_seconds:
            raise CorpusError(
                f"{path}: lasts {seconds:,.0f} seconds, but at most {max_seconds:g} are read at "
                "once; cut it into pieces, or raise max_seconds"
            )
        return _heard(path, file, _samples(path, file, file.frames), rate)


def read_pieces(path: Path, rate: int, seconds: float) -> Iterator[tuple[float, Samples]]:
    """A sound of any length in pieces, each with the second at which it begins.

    A piece ends at the quietest moment of the last third of its greatest length, so that few words
    are cut; the last two part what is left in its middle third, so that no piece is tiny. Memory
    does not grow with the length.
    """
    with _opened(path) as file:
        longest = max(int(seconds * file.samplerate), 3)
        waiting, begin = np.zeros((0, file.channels), np.float32), 0
        while len(waiting) or not begin:
            fresh = _samples(path, file, longest + longest // 3 - len(waiting))
            waiting = np.concatenate([waiting, fresh])
            end = _piece_end(waiting, longest, file.samplerate)
            yield begin / file.samplerate, _heard(path, file, waiting[:end], rate)
            waiting, begin = waiting[end:], begin + end


def _piece_end(samples: Samples, longest: int, rate: int) -> int:
    """Where the first piece ends of samples that are read a third of a piece ahead."""
    count = len(samples)
    if count <= longest:
        return count
    first, last = 2 * longest // 3, longest
    if count < longest + longest // 3:  # nothing follows
        first, last = count // 3, 2 * count // 3
    return first + _quietest(samples[first:last], rate)


def _quietest(samples: Samples, rate: int) -> int:
    """The middle of the 50 milliseconds that have the least power."""
    window = min(max(rate // 20, 1), len(samples))
    power = (samples.astype(np.float64) ** 2).mean(1)
    total = np.concatenate([[0], power.cumsum()])
    return int((total[window:] - total[:-window]).argmin()) + window // 2


def _heard(path: Path, file: Any, samples: Samples, rate: int) -> Samples:
    """One channel at the rate that is wanted."""
    if not len(samples):
        raise CorpusError(f"{path}: holds no sound; leave it out")
    mono = samples.mean(1)
    if file.samplerate == rate:
        return mono
    from scipy.signal import resample_poly

    common = gcd(rate, file.samplerate)
    found: Samples = resample_poly(mono, rate // common, file.samplerate // common)
    return found.astype(np.float32)


def _opened(path: Path) -> Any:
    if path.is_dir():
        raise CorpusError(f"{path}: is a folder, not a sound file")
    if not path.exists():
        raise CorpusError(f"{path}: there is no such file")
    try:
        _check_length(path)
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        file = soundfile().SoundFile(path)
    except UnicodeError:
        name = str(path).encode(errors="replace").decode()
        raise CorpusError(f"{name}: has a name that is no text; rename it") from None
    except (RuntimeError, OSError, TypeError) as error:
        reason = str(error).partition(": ")[2] or str(error)
        raise CorpusError(f"{path}: is no sound file that can be read ({reason})") from None
    if not LOWEST_RATE <= file.samplerate <= HIGHEST_RATE or file.channels > MOST_CHANNELS:
        rate, channels = file.samplerate, file.channels
        file.close()
        raise CorpusError(
            f"{path}: has {rate:,} samples a second in {channels} channels, but must have "
            f"{LOWEST_RATE:,} to {HIGHEST_RATE:,} in at most {MOST_CHANNELS}; convert it"
        )
    return file


def _check_length(path: Path) -> None:
    """A wav file that ends too early is read without a word by libsndfile."""
    with path.open("rb") as file:
        head = file.read(12)
    if not head:
        raise CorpusError(f"{path}: is empty; leave it out")
    stated, there = int.from_bytes(head[4:8], "little") + 8, path.stat().st_size
    if head[:4] == b"RIFF" and head[8:] == b"WAVE" and there < stated < NO_LENGTH:
        raise CorpusError(
            f"{path}: is cut off, it has {there:,} of {stated:,} bytes; bring back a copy"
        )


def _samples(path: Path, file: Any, count: int) -> Samples:
    try:
        found: Samples = file.read(count, dtype="float32", always_2d=True)
    except (RuntimeError, OSError) as error:
        reason = str(error).strip(" .") or "its end is missing or makes no sense"
        raise CorpusError(f"{path}: is damaged ({reason}); bring back a copy") from None
    if not np.isfinite(found).all():
        raise CorpusError(f"{path}: holds samples that are no numbers; record it again")
    return found
