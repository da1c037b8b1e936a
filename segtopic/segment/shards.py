"""A block of documents in, a shard of segmented ones out: what a worker on a cluster does.

A shard gets its name when it is whole; beside it stands what is to be known of it. Whoever begins
a block that is done finds that, and does nothing. A document that cannot be segmented is named, and
all others are there.
"""

import io
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from segtopic.config import SegmentConfig
from segtopic.corpus.blocks import Block, Place, read_block
from segtopic.corpus.records import Record
from segtopic.files.digests import digest_of_bytes
from segtopic.files.storage import Storage
from segtopic.runs import load_run
from segtopic.runs.folder import DOCUMENTS
from segtopic.segment.formats import SegmentedRecord, as_json
from segtopic.segment.job import SegmentJob
from segtopic.segment.wishes import Wishes

DONE = "_blocks"  # folder with what is known of each shard, until all are there
STOP_WORDS = "mark-stop-words.txt"


@dataclass(frozen=True)
class ShardWorker:
    """What a worker starts with; all of it travels.

    Attributes:
        run: The files of the run but its documents, by their names.
        config: Which segmentations, and how they are written.
        wishes: Which words to join always, or never.
        out: Address of the folder for the shards.
    """

    run: Mapping[str, bytes]
    config: SegmentConfig
    wishes: Wishes
    out: str

    @classmethod
    def of(cls, folder: Path, config: SegmentConfig, wishes: Wishes, out: str) -> "ShardWorker":
        """For a run of this machine."""
        files = [path for path in folder.iterdir() if path.is_file() and path.name != DOCUMENTS]
        run = {path.name: path.read_bytes() for path in files}
        if config.mark_stop_words not in (None, "english", "none"):
            run[STOP_WORDS] = Path(str(config.mark_stop_words)).read_bytes()
        return cls(run, config, wishes, out)

    def __call__(self) -> Callable[[tuple[Block, Place]], dict[str, Any]]:
        """Open the run, once."""
        torch.set_num_threads(1)
        with tempfile.TemporaryDirectory(prefix="segtopic-") as folder:
            for name, content in self.run.items():
                Path(folder, name).write_bytes(content)
            config = self.config
            if STOP_WORDS in self.run:
                config = replace(config, mark_stop_words=str(Path(folder, STOP_WORDS)))
            job = SegmentJob.of(load_run(folder), config, self.wishes)
        return ShardWriter(job, Storage.at(self.out)).write


@dataclass(frozen=True)
class ShardWriter:
    """Writes shards into a folder."""

    job: SegmentJob
    storage: Storage

    def write(self, piece: tuple[Block, Place]) -> dict[str, Any]:
        """Segment a block, unless that is done; what is to be known of its shard."""
        block, place = piece
        known = f"{DONE}/{block.number:06d}.json"
        if self.storage.exists(known):
            done: dict[str, Any] = json.loads(self.storage.read(known))
            return done
        failed: list[dict[str, str]] = []
        segmented: list[SegmentedRecord] = []
        for batch in self.job.batches(read_block(block, place)):
            segmented += self._segmented(batch, failed)
        form = self.job.config.format
        name = f"part-{block.number:06d}.{form if form != 'gensim' else 'lines'}"
        content = _parquet(segmented) if form == "parquet" else self._text(segmented)
        self.storage.write(name, content)
        row = {
            "shard": name,
            "input": block.input,
            "documents": len(segmented),
            "digest": digest_of_bytes(content),
            "failed": failed,
        }
        self.storage.write(known, json.dumps(row).encode())
        return row

    def _segmented(
        self, batch: Sequence[Record], failed: list[dict[str, str]]
    ) -> list[SegmentedRecord]:
        """All of the batch but what cannot be segmented, which is found by halves."""
        try:
            return self.job.segment(batch)
        except Exception as error:  # whatever one document does, the others are not to suffer
            if len(batch) == 1:
                reason = (str(error) or type(error).__name__).splitlines()[0]
                failed.append({"id": batch[0].id or "", "error": reason})
                return []
            half = len(batch) // 2
            return [
                *self._segmented(batch[:half], failed),
                *self._segmented(batch[half:], failed),
            ]

    def _text(self, segmented: list[SegmentedRecord]) -> bytes:
        form = self.job.form()
        text = form.begin() + "".join(map(form.record, segmented)) + form.end()
        return text.encode("utf-8", errors="surrogatepass")


def _parquet(segmented: list[SegmentedRecord]) -> bytes:
    """The objects of JSON lines as rows."""
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.Table.from_pylist([as_json(record) for record in segmented], _columns())
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def _columns() -> Any:
    import pyarrow as pa

    segments = pa.list_(
        pa.struct(
            [
                ("text", pa.string()),
                ("start", pa.int64()),
                ("end", pa.int64()),
                ("words", pa.int64()),
                ("probability", pa.float64()),
            ]
        )
    )
    alternative = pa.struct([("log_probability", pa.float64()), ("segments", segments)])
    return pa.schema(
        [
            ("id", pa.string()),
            ("text", pa.string()),
            ("segments", segments),
            ("log_probability", pa.float64()),
            ("topics", pa.list_(pa.float64())),
            ("common", pa.float64()),
            ("alternatives", pa.list_(alternative)),
        ]
    )
