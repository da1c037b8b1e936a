"""Any number of documents in, written segmentations out: what ``segtopic segment`` does.

A stream of documents goes through batch by batch, in constant memory, here or in the hands of
several workers. Random numbers follow a document's id, so that the work can be cut into shards,
interrupted and resumed.

>>> import segtopic
>>> trained = segtopic.load("runs/ap")  # doctest: +SKIP
>>> job = SegmentJob.of(trained, SegmentConfig(format="jsonl"))  # doctest: +SKIP
>>> job.write([Record("1", "The Supreme Court ruled.", "")], print)  # doctest: +SKIP
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import torch

from segtopic.config import ApplyConfig, SegmentConfig
from segtopic.corpus.records import BadLines, DuplicateIds, Record
from segtopic.corpus.sources import Source, fingerprint, read_documents
from segtopic.engine import Engine, Here
from segtopic.files import content_digest, digest_of
from segtopic.runs import TrainedModel, load_run
from segtopic.runs.folder import WEIGHTS
from segtopic.runs.view import TopicView
from segtopic.segment.alternatives import (
    Alternative,
    best_alternative,
    best_alternatives,
    sampled_alternatives,
)
from segtopic.segment.formats import FORMATS, Format, JsonLinesFormat, SegmentedRecord
from segtopic.segment.marking import Marker
from segtopic.segment.output import ResumableFile
from segtopic.segment.segmenter import ScoredTexts, Segmenter
from segtopic.segment.wishes import Wishes

Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class SegmentJob:
    """A segmenter, and which segmentations of each document are wanted in which form.

    Attributes:
        segmenter: Cuts the documents.
        config: Which segmentations, and how they are written.
        marker: Marks phrases, if these are wanted.
        view: Topics that the user has named or merged.
    """

    segmenter: Segmenter
    config: SegmentConfig
    marker: Marker | None = None
    view: TopicView | None = None

    @classmethod
    def of(
        cls, trained: TrainedModel, config: SegmentConfig, wishes: Wishes | None = None
    ) -> "SegmentJob":
        """The job of a trained model; ``wishes`` are those that the settings name, read."""
        steps = trained.config.refinement(config.refine)
        segmenter = Segmenter.of(trained, steps, wishes, config.min_probability)
        if config.phrases == "best":
            return cls(segmenter, config, view=trained.view)
        threshold = config.min_probability or None
        marker = Marker.of(trained, segmenter, threshold, stop_words=config.mark_stop_words)
        return cls(segmenter, config, marker, trained.view)

    def segmented(self, records: Iterable[Record]) -> Iterator[list[SegmentedRecord]]:
        """Every record once, in order, in batches."""
        return map(self.segment, self.batches(records))

    def segment(self, batch: Sequence[Record]) -> list[SegmentedRecord]:
        """One batch."""
        scored = self.segmenter.score([record.text for record in batch])
        ids = [record.id or "" for record in batch]
        chosen = self._choose(scored, ids)
        return [SegmentedRecord(*each) for each in zip(ids, chosen, strict=True)]

    def write(
        self,
        records: Iterable[Record],
        write: Callable[[str], object],
        form: Format | None = None,
        after_batch: Callable[[], object] = lambda: None,
        workers: "Workers | None" = None,
    ) -> None:
        """Hand the output to ``write``, piece by piece."""
        form = form or self.form()
        write(form.begin())
        for _, text in self._texts(records, form, workers):
            write(text)
            after_batch()
        write(form.end())

    def save(
        self,
        records: Iterable[Record],
        output: ResumableFile,
        progress: Progress = lambda stage, documents: None,
        workers: "Workers | None" = None,
    ) -> None:
        """Write a file, from where an earlier attempt with the same records stopped."""
        form = self.form()
        if output.documents == 0:
            output.write(form.begin())
        for batch, text in self._texts(islice(records, output.documents, None), form, workers):
            output.write(text)
            output.keep(len(batch))
            progress("segmenting", output.documents)
        output.write(form.end())

    def _texts(
        self, records: Iterable[Record], form: Format, workers: "Workers | None"
    ) -> Iterator[tuple[list[Record], str]]:
        """Batches, the same whoever works on them, each with its output."""
        batches = self.batches(records)
        if workers is None:
            return Here().map(lambda: BatchWriter(self, form), batches)
        return workers.engine.map(workers.start(self, form), batches)

    def batches(self, records: Iterable[Record]) -> Iterator[list[Record]]:
        """Runs of documents that are worth a batch."""
        return self.segmenter.batches(records, lambda record: len(record.text))

    def form(self) -> Format:
        """How the settings want it written."""
        if self.config.format == "jsonl":
            return JsonLinesFormat(self.view)
        return FORMATS[self.config.format]()

    def _choose(self, scored: ScoredTexts, ids: Sequence[str]) -> list[list[Alternative]]:
        config = self.config
        if self.marker is not None:
            return [[Alternative(document, None)] for document in self.marker.read_off(scored)]
        if config.k_best > 1:
            return best_alternatives(self.segmenter, scored, config.k_best)
        if config.sample is not None:
            return sampled_alternatives(self.segmenter, scored, config.sample, ids, config.seed)
        return best_alternative(self.segmenter, scored)


@dataclass(frozen=True)
class BatchWriter:
    """Batches in, their output out.

    Attributes:
        job: Segments them.
        form: Writes them.
    """

    job: SegmentJob
    form: Format

    def __call__(self, batch: Sequence[Record]) -> str:
        """The output of a batch."""
        return "".join(map(self.form.record, self.job.segment(batch)))


@dataclass(frozen=True)
class Workers:
    """Who segments, if not this process alone.

    Attributes:
        engine: Where they work.
        folder: Of the run, which each of them opens.
        wishes: Which words to join always, or never.
    """

    engine: Engine
    folder: Path
    wishes: Wishes | None = None

    def start(self, job: SegmentJob, form: Format) -> Callable[[], BatchWriter]:
        """What each worker starts with."""
        return partial(_start, self.folder, job.config, self.wishes, form)


def _start(folder: Path, config: SegmentConfig, wishes: Wishes | None, form: Format) -> BatchWriter:
    torch.set_num_threads(1)
    return BatchWriter(SegmentJob.of(load_run(folder), config, wishes), form)


def records_of(sources: Iterable[Source], bad_lines: BadLines) -> Iterator[Record]:
    """The documents of all sources, one after the other."""
    for source in sources:
        yield from read_documents(source, bad_lines, DuplicateIds())


def lists_of(config: SegmentConfig) -> list[Path]:
    """The files that the settings name."""
    named = None if config.mark_stop_words in ("english", "none") else config.mark_stop_words
    return [Path(path) for path in (config.join, config.split, named) if path]


def output_key(
    trained: TrainedModel,
    config: SegmentConfig | ApplyConfig,
    sources: Sequence[Source],
    files: Sequence[Path] = (),
) -> str:
    """What two outputs share only if one can go on with the other; ``files`` are read, too."""
    parts = [
        dataclasses.asdict(dataclasses.replace(config, out=None)),
        [fingerprint(source) for source in sources],
        [digest_of(path) for path in (trained.saved_folder / WEIGHTS, *files)],
    ]
    return content_digest(parts)
