"""Features on disk: a folder with ``features.arrow`` and ``features.json``.

The table has a row for each recording and is mapped into memory, so a corpus may be larger than
that. The JSON file says how the features were made, what they are normalised by, and the digest of
the table. Nothing in the folder is ever executed or unpickled.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from segtopic.errors import CorpusError
from segtopic.files import digest_of, matches, write_atomically
from segtopic.speech.filterbanks import FilterBanks
from segtopic.speech.recordings import TRAIN, Features, Mark, Recording
from segtopic.typed import fits

FORMAT, VERSION = "segtopic-features", 1
TABLE, ABOUT = "features.arrow", "features.json"
REMEDY = "make the folder again with segtopic swan features"
ROWS_AT_ONCE = 64
SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("part", pa.string()),
        ("speaker", pa.string()),
        ("words", pa.string()),
        ("phones", pa.list_(pa.string())),
        ("mark_ends", pa.list_(pa.float64())),
        ("audio", pa.list_(pa.string())),
        ("seconds", pa.float64()),
        ("frames", pa.int64()),
        ("features", pa.large_list(pa.float32())),
        ("mark_begins", pa.list_(pa.float64())),
    ]
)
# Earlier tables have sounds without a gap between them: each begins where the one before ends.
WITHOUT_BEGINS = SCHEMA.remove(SCHEMA.get_field_index("mark_begins"))


@dataclass(frozen=True)
class Normaliser:
    """What makes every number of the training part zero on average, with a variance of one."""

    mean: NDArray[np.float32]
    deviation: NDArray[np.float32]

    def __call__(self, features: Features) -> Features:
        """``(T, F)`` in and out."""
        normal: Features = ((features - self.mean) / self.deviation).astype(np.float32)
        return normal

    def to_dict(self) -> dict[str, list[float]]:
        """For JSON."""
        return {"mean": self.mean.tolist(), "deviation": self.deviation.tolist()}

    @classmethod
    def from_dict(cls, values: Any) -> "Normaliser":
        """From JSON; other content is a ``ValueError``."""
        lists = [values[name] for name in ("mean", "deviation")]
        if not all(fits(each, list[float]) for each in lists) or len(lists[0]) != len(lists[1]):
            raise ValueError("it holds no mean and deviation of the same length")
        mean, deviation = (np.array(each, np.float32) for each in lists)
        if not (deviation > 0).all():
            raise ValueError("a deviation is not above zero")
        return cls(mean, deviation)


class RunningMoments:
    """Mean and deviation of rows that come one after the other."""

    def __init__(self) -> None:
        self.count, self.total, self.squares = 0, np.zeros(0), np.zeros(0)

    def add(self, features: Features) -> None:
        """Some rows, ``(T, F)``."""
        if not self.count:
            self.total = self.squares = np.zeros(features.shape[1])
        self.count += len(features)
        wide = features.astype(np.float64)
        self.total = self.total + wide.sum(0)
        self.squares = self.squares + (wide**2).sum(0)

    def normaliser(self) -> Normaliser:
        """Of all rows so far; a number that never changes is left as it is."""
        mean = self.total / max(self.count, 1)
        variance = np.maximum(self.squares / max(self.count, 1) - mean**2, 0)
        deviation = np.sqrt(np.where(variance > 1e-10, variance, 1))
        return Normaliser(mean.astype(np.float32), deviation.astype(np.float32))


def write_features(
    folder: Path,
    rows: Iterable[tuple[Recording, Features, float]],
    banks: FilterBanks | None,
    about: Callable[[], dict[str, Any]],
) -> None:
    """Write recordings with features and seconds as they come, then what is said of them.

    Args:
        folder: that gets both files.
        rows: in any number, of one width; only a few are in memory at a time.
        banks: how sounds became features; None if somebody else computed them.
        about: what else is written down, asked for in the end.
    """
    moments, parts, seconds, width = RunningMoments(), dict[str, int](), 0.0, 0
    all_moments, n_transcripts, n_phones = RunningMoments(), 0, 0
    with pa.OSFile(str(folder / TABLE), "wb") as sink, pa.ipc.new_file(sink, SCHEMA) as writer:
        waiting: list[dict[str, Any]] = []
        for recording, features, duration in rows:
            width = width or features.shape[1]
            (moments if recording.part == TRAIN else all_moments).add(features)
            parts[recording.part] = parts.get(recording.part, 0) + 1
            seconds += duration
            n_transcripts += recording.words is not None
            n_phones += recording.phones is not None
            waiting.append(_row(recording, features, duration))
            if len(waiting) == ROWS_AT_ONCE:
                writer.write_batch(pa.RecordBatch.from_pylist(waiting, SCHEMA))
                waiting = []
        if waiting:
            writer.write_batch(pa.RecordBatch.from_pylist(waiting, SCHEMA))
    if not parts:
        raise CorpusError("there are no recordings")
    chosen = moments if moments.count else all_moments
    content = {
        "format": FORMAT,
        "format_version": VERSION,
        "recordings": sum(parts.values()),
        "parts": parts,
        "with_transcript": n_transcripts,
        "with_phones": n_phones,
        "seconds": round(seconds, 2),
        "numbers": width,
        "filter_banks": banks.to_dict() if banks else None,
        **about(),
        "normaliser": chosen.normaliser().to_dict(),
        "digest": digest_of(folder / TABLE),
    }
    write_atomically(folder / ABOUT, json.dumps(content, indent=1) + "\n")


def _row(recording: Recording, features: Features, seconds: float) -> dict[str, Any]:
    return {
        "name": recording.name,
        "part": recording.part,
        "speaker": recording.speaker,
        "words": recording.words,
        "phones": recording.phones,
        "mark_ends": [mark.end for mark in recording.marks],
        "audio": [str(path.absolute()) for path in recording.audio],
        "seconds": seconds,
        "frames": len(features),
        "features": features.ravel(),
        "mark_begins": [mark.begin for mark in recording.marks],
    }


def is_features(path: Path) -> bool:
    """Whether the folder holds features."""
    return (path / ABOUT).is_file()


class FeatureStore:
    """A folder of features, opened.

    Args:
        folder: made by ``segtopic swan features``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            content = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
            if content.get("format") != FORMAT or content.get("format_version") != VERSION:
                raise ValueError(f"it is no {FORMAT} of version {VERSION}")
            self.about: dict[str, Any] = content
            self.width = int(content["numbers"])
            self.normaliser = Normaliser.from_dict(content["normaliser"])
            banks = content["filter_banks"]
            self.banks = FilterBanks(**banks) if banks else None
            self.digest = str(content["digest"])
            if not isinstance(content["parts"], dict):
                raise ValueError("it names no parts")
            if len(self.normaliser.mean) != self.width:
                raise ValueError("it is normalised by other numbers than it has")
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise CorpusError(f"{folder / ABOUT}: cannot be used ({error}); {REMEDY}") from None

    @cached_property
    def _table(self) -> Any:
        path = self.folder / TABLE
        try:
            if not matches(path, self.digest):
                raise CorpusError(f"{path}: has changed since it was made; {REMEDY}")
            table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
        except (OSError, pa.ArrowInvalid) as error:
            raise CorpusError(f"{path}: cannot be read ({error}); {REMEDY}") from None
        if table.schema not in (SCHEMA, WITHOUT_BEGINS):
            raise CorpusError(f"{path}: has other columns; {REMEDY}")
        return table

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def recordings(self, parts: Sequence[str] | None = None) -> Iterator[Recording]:
        """Of some parts or of all, with their features as they were stored."""
        for batch in self._table.to_batches():
            for place in range(batch.num_rows):
                names = (name for name in batch.schema.names if name != "features")
                row = {name: batch.column(name)[place] for name in names}
                found = {name: value.as_py() for name, value in row.items()}
                if parts is None or found["part"] in parts:
                    values = batch.column("features")[place].values.to_numpy()
                    yield _recording(found, values.reshape(found["frames"], self.width))


def _recording(row: dict[str, Any], features: Features) -> Recording:
    ends = row["mark_ends"] or []
    begins = row.get("mark_begins") or [0.0, *ends[:-1]]
    phones = row["phones"]
    return Recording(
        row["name"],
        row["part"],
        row["speaker"],
        row["words"],
        None if phones is None else tuple(phones),
        tuple(map(Mark, phones or (), begins, ends)),
        tuple(Path(each) for each in row["audio"]),
        features,
    )
