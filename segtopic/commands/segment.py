"""``segtopic segment RUN [SOURCES]``: new documents cut into phrases."""

import dataclasses
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from segtopic.commands.arguments import command_parser, parse, settings
from segtopic.commands.display import counting, print_file, remark
from segtopic.config import Format as InputFormat
from segtopic.config import SourceConfig, check_choice, check_range
from segtopic.corpus.digest import digest_of
from segtopic.corpus.readers import format_of
from segtopic.corpus.records import BadLines, DuplicateNames
from segtopic.corpus.sources import Source, fingerprint, locate, read_documents
from segtopic.errors import ConfigError
from segtopic.explore.alternatives import (
    Alternative,
    best_alternative,
    best_alternatives,
    sampled_alternatives,
)
from segtopic.explore.formats import FORMATS, Format, SegmentedRecord, TextFormat
from segtopic.explore.output import ResumableFile
from segtopic.explore.segmenter import ScoredTexts, Segmenter
from segtopic.explore.stream import segment_records
from segtopic.explore.wishes import PhraseList, Wishes, read_phrases
from segtopic.training import Run, load_run
from segtopic.training.folder import WEIGHTS

OutputFormat = Literal["text", "jsonl", "csv", "html", "gensim"]


@dataclass(frozen=True)
class SegmentConfig:
    """What to read, how to cut it, and how to write it.

    Attributes:
        format: Of the output: brackets in the text, JSON lines, a row for each phrase, a page, or
            a line of joined_phrases for other tools.
        out: File for the output; the standard output if not given.
        k_best: The so many most probable segmentations of each document instead of the best one.
        sample: So many segmentations drawn from the posterior instead of the best one.
        min_probability: Phrases less probable than this fall apart into words.
        join: File with phrases, one a line, that are always in one segment.
        split: File with phrases, one a line, that are never in one segment.
        refine: Infer topics by some gradient steps after the encoder; slower, better.
        seed: Of the samples.
        input_format: How the source is laid out; by its extension if not given.
        text_column: Column with the text; several, separated by commas, are joined.
        id_column: Column that names the documents; 'id' if there is one.
        encoding: Character encoding of the source, utf-8 if not given.
        on_bad_line: Stop at a line that cannot be read, or skip and count it.
        limit: Segment only the first so many documents of each source.
    """

    format: OutputFormat = "text"
    out: str | None = None
    k_best: int = 1
    sample: int | None = None
    min_probability: float = 0.0
    join: str | None = None
    split: str | None = None
    refine: bool = True
    seed: int = 0
    input_format: InputFormat | None = None
    text_column: str | None = None
    id_column: str | None = None
    encoding: str | None = None
    on_bad_line: Literal["error", "skip"] = "error"
    limit: int | None = None

    def __post_init__(self) -> None:
        check_choice(self, "format", tuple(FORMATS))
        check_range(self, "k_best", at_least=1)
        check_range(self, "sample", at_least=1)
        check_range(self, "seed", at_least=0)
        check_range(self, "min_probability", at_least=0, at_most=1)
        several = self.k_best > 1 or self.sample is not None
        if self.k_best > 1 and self.sample is not None:
            raise ConfigError("k_best and sample exclude each other; give one of them")
        if several and self.format in ("html", "gensim"):
            raise ConfigError(
                f"format {self.format} shows one segmentation of each document; "
                "use text, jsonl or csv for several"
            )
        if several and self.min_probability > 0:
            raise ConfigError("min_probability is only for the single best segmentation")

    def source(self, data: str) -> SourceConfig:
        """How one of the sources is read."""
        return SourceConfig(
            data=data,
            format=self.input_format,
            text_column=self.text_column,
            id_column=self.id_column,
            encoding=self.encoding,
            on_bad_line=self.on_bad_line,
            limit=self.limit,
        )


def run(arguments: Sequence[str]) -> int:
    """Segment documents."""
    parser = command_parser(
        "segment",
        "Cut documents into phrases. Sources are files, folders, named corpora or '-'.",
        SegmentConfig,
    )
    parser.add_argument("run", type=str, help="folder of the run")
    parser.add_argument("sources", nargs="*", type=str, help="standard input if not given")
    parser.add_argument("--resume", action="store_true", help="go on with an interrupted output")
    parser.add_argument("--overwrite", action="store_true", help="replace the output")
    chosen = parse(parser, arguments)
    config = settings(chosen, SegmentConfig)
    if chosen.json:
        config = dataclasses.replace(config, format="jsonl")
    if chosen.resume and config.out is None:
        raise ConfigError("--resume needs --out: only a file can go on")
    sources = [locate(config.source(data)) for data in chosen.sources or ["-"]]
    trained = load_run(chosen.run)
    segmenter = Segmenter.of(
        trained,
        None if config.refine else 0,
        _wishes(config, trained),
        config.min_probability,
    )
    job = _Job(segmenter, config, sources)
    if config.out is None:
        job.print()
    else:
        key = _key(trained, config, sources)
        try:
            with ResumableFile(Path(config.out), key, chosen.resume, chosen.overwrite) as output:
                job.save(output)
        except KeyboardInterrupt:
            remark("interrupted; go on with the same command and --resume")
            return 130
    return 0


class _Job:
    """All documents of all sources, written where they are wanted."""

    def __init__(
        self, segmenter: Segmenter, config: SegmentConfig, sources: Sequence[Source]
    ) -> None:
        self._segmenter, self._config, self._sources = segmenter, config, sources
        self._bad_lines = BadLines(config.on_bad_line)

    def print(self) -> None:
        """To the standard output."""
        form: Format = FORMATS[self._config.format]()
        write: Callable[[str], object] = print_file
        if self._config.format == "text":
            form = TextFormat(sys.stdout.isatty(), headings=not self._is_one_text())
            write = sys.stdout.write  # harmless already, but for its own colours
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        write(form.begin())
        for batch in self._batches(after=0):
            for record in batch:
                write(form.record(record))
            sys.stdout.flush()
        write(form.end())
        self._report_bad_lines()

    def save(self, output: ResumableFile) -> None:
        """To a file, from where an earlier attempt stopped."""
        form: Format = FORMATS[self._config.format]()
        if output.documents == 0:
            output.write(form.begin())
        with counting() as progress:
            for batch in self._batches(after=output.documents):
                output.write("".join(map(form.record, batch)))
                output.keep(len(batch))
                progress("segmenting", output.documents)
        output.write(form.end())
        self._report_bad_lines()

    def _batches(self, after: int) -> Iterator[list[SegmentedRecord]]:
        records = (
            record
            for source in self._sources
            for record in read_documents(source, self._bad_lines, DuplicateNames())
        )
        done = after

        def choose(segmenter: Segmenter, scored: ScoredTexts) -> list[list[Alternative]]:
            if self._config.k_best > 1:
                return best_alternatives(segmenter, scored, self._config.k_best)
            if self._config.sample is not None:
                # Depends on the place only, so that a resumed output has the same samples.
                mixed = np.random.SeedSequence((self._config.seed, done)).generate_state(1)
                generator = torch.Generator().manual_seed(int(mixed[0]))
                return sampled_alternatives(segmenter, scored, self._config.sample, generator)
            return best_alternative(segmenter, scored)

        for batch in segment_records(self._segmenter, islice(records, after, None), choose):
            done += len(batch)
            yield batch

    def _is_one_text(self) -> bool:
        """Whether the output is the only document and needs no heading."""
        source = self._sources[0]
        return (
            len(self._sources) == 1
            and source.path is not None
            and source.path.is_file()
            and format_of(source.path) == "text"
        )

    def _report_bad_lines(self) -> None:
        if self._bad_lines.count:
            examples = "; ".join(self._bad_lines.examples)
            remark(f"skipped {self._bad_lines.count} lines that cannot be read ({examples})")


def _wishes(config: SegmentConfig, trained: Run) -> Wishes:
    encoder = trained.encoder()
    phrases = []
    for name, path, longest in (
        ("join", config.join, trained.config.max_segment_length),
        ("split", config.split, None),
    ):
        found = read_phrases(Path(path), encoder, longest) if path else PhraseList()
        phrases.append(found.phrases)
        if found.unusable:
            remark(
                f"{path}: {len(found.unusable)} phrases to {name} are never one run of known "
                f"words ({'; '.join(found.unusable[:3])})"
            )
    return Wishes(*phrases)


def _key(trained: Run, config: SegmentConfig, sources: Sequence[Source]) -> str:
    """What two outputs share only if one can go on with the other."""
    files = [Path(path) for path in (config.join, config.split) if path]
    parts = [
        dataclasses.asdict(dataclasses.replace(config, out=None)),
        [fingerprint(source) for source in sources],
        [digest_of(path) for path in (trained.folder / WEIGHTS, *files)],
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
