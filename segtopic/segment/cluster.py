"""Sources in, a folder of shards and a manifest out, made by a Ray cluster.

First all blocks of the sources are looked through, so that each document has the id that it has on
one machine. Then every block becomes a shard (:mod:`segtopic.segment.shards`). In the end
``manifest.json`` tells which input went where. What is done stays done: a resumed job makes only
the shards that are missing.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from segtopic import __version__
from segtopic.config import SegmentConfig
from segtopic.corpus import blocks as blocks_
from segtopic.corpus.blocks import Block, Surveyed, blocks_of, places
from segtopic.corpus.records import BadLines
from segtopic.corpus.sources import Source
from segtopic.engine.on_ray import RayTasks, connected, in_any_order
from segtopic.errors import OutputError
from segtopic.files.storage import Storage
from segtopic.runs import TrainedModel
from segtopic.segment.job import lists_of, output_key
from segtopic.segment.shards import DONE, ShardWorker
from segtopic.segment.wishes import Wishes

MANIFEST, JOB = "manifest.json", "_job.json"
FORMAT, FORMAT_VERSION = "segtopic-shards", 1

Progress = Callable[[str, int], None]


class _Look(NamedTuple):
    """What is found of a block, and the lines that could not be read."""

    surveyed: Surveyed
    skipped: int
    examples: list[str]


@dataclass(frozen=True)
class ClusterJob:
    """Documents to segment on a cluster.

    Attributes:
        trained: The model.
        config: Which segmentations, and how they are written; ``out`` is a folder.
        sources: Of the documents.
        wishes: Which words to join always, or never.
    """

    trained: TrainedModel
    config: SegmentConfig
    sources: tuple[Source, ...]
    wishes: Wishes

    def run(
        self,
        address: str,
        n_workers: int | None,
        bad_lines: BadLines,
        resume: bool = False,
        overwrite: bool = False,
        progress: Progress = lambda stage, documents: None,
    ) -> dict[str, Any]:
        """Make all shards that are missing, and the manifest; what it says."""
        out = str(self.config.out)
        storage = Storage.at(out)
        blocks = blocks_of(self.sources, blocks_.BLOCK_BYTES)
        key = output_key(self.trained, self.config, self.sources, lists_of(self.config))
        with connected(address, n_workers) as n_found:
            self._claim(
                storage,
                {"key": key, "blocks": [block.input for block in blocks]},
                resume,
                overwrite,
            )
            where = self._look(blocks, n_found, bad_lines, progress)
            worker = ShardWorker.of(self.trained.saved_folder, self.config, self.wishes, out)
            pieces = list(zip(blocks, where, strict=True))
            done = set(storage.names(DONE)) if resume else set()
            rows = [json.loads(storage.read(f"{DONE}/{name}")) for name in sorted(done)]
            missing = [piece for piece in pieces if f"{piece[0].number:06d}.json" not in done]
            n_documents = sum(row["documents"] for row in rows)
            if missing:
                for row in in_any_order(worker, missing, min(n_found, len(missing))):
                    rows.append(row)
                    n_documents += row["documents"]
                    progress("segmenting", n_documents)
        rows.sort(key=lambda row: str(row["shard"]))
        manifest = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "segtopic": __version__,
            "key": key,
            "documents": n_documents,
            "failed": sum(len(row["failed"]) for row in rows),
            "skipped_lines": bad_lines.count,
            "shards_made": len(missing),
            "shards": rows,
        }
        storage.write(MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())
        storage.remove(DONE)
        storage.remove(JOB)
        return manifest

    def _look(
        self, blocks: list[Block], n_workers: int, bad_lines: BadLines, progress: Progress
    ) -> list[blocks_.Place]:
        found = []
        start = partial(_start_looking, bad_lines.policy)
        n_documents = 0
        for _, look in RayTasks(n_workers).map(start, blocks):
            found.append(look.surveyed)
            bad_lines.count += look.skipped
            bad_lines.examples += look.examples[: 3 - len(bad_lines.examples)]
            n_documents += look.surveyed.n_records
            progress("looking through", n_documents)
        return places(blocks, found, bad_lines)

    def _claim(self, storage: Storage, job: dict[str, Any], resume: bool, overwrite: bool) -> None:
        """Begin in an empty folder, or go on with this very job."""
        there = storage.names()
        if JOB in there and resume:
            if json.loads(storage.read(JOB)) != job:
                raise OutputError(
                    f"{storage.uri}: was begun with another model, source or setting; "
                    "repeat that command, or begin again with --overwrite"
                )
            return
        ours = JOB in there or MANIFEST in there
        if there and not (ours and overwrite):
            what = "holds something else; choose another --out"
            if JOB in there:
                what = "shards were begun there; go on with --resume, or pass --overwrite"
            elif MANIFEST in there:
                what = "holds finished shards; pass --overwrite, or another --out"
            raise OutputError(f"{storage.uri}: {what}")
        for name in (*(each for each in there if each.startswith("part-")), DONE, MANIFEST):
            storage.remove(name)
        storage.write(JOB, json.dumps(job).encode())


def _start_looking(policy: Any) -> Callable[[Block], _Look]:
    return partial(_look_through, policy)


def _look_through(policy: Any, block: Block) -> _Look:
    bad_lines = BadLines(policy)
    found = blocks_.survey(block, bad_lines)
    return _Look(found, bad_lines.count, bad_lines.examples)
