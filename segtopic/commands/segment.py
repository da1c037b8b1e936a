"""``segtopic segment RUN [SOURCES]``: new documents cut into phrases."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from jsonargparse import Namespace

from segtopic.commands.arguments import CommandParser, command_parser, parse, settings
from segtopic.commands.display import (
    counting,
    print_file,
    print_json,
    remark,
    remark_skipped,
    remark_without_grammar,
)
from segtopic.commands.opening import opening
from segtopic.commands.terminal import has_colours
from segtopic.config import SegmentConfig
from segtopic.errors import ConfigError, RunError

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.corpus.sources import Source
    from segtopic.runs import TrainedModel
    from segtopic.segment.formats import Format
    from segtopic.segment.wishes import Wishes


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "segment",
        "Cut documents into phrases. Sources are files, folders, named corpora or '-'.",
        SegmentConfig,
    )
    made.add_argument("run", type=str, help="folder of the run")
    made.add_argument(
        "sources", nargs="*", type=str, default=[], help="standard input if not given"
    )
    made.add_argument("--workers", type=int | None, help="processes, each with one thread")
    made.add_argument(
        "--ray",
        type=str | None,
        help="address of a Ray cluster, or 'local': shards in the folder --out, and a manifest",
    )
    made.add_argument("--resume", action="store_true", help="go on with an interrupted output")
    made.add_argument("--overwrite", action="store_true", help="replace the output")
    return made


def run(arguments: Sequence[str]) -> int:
    """Segment documents."""
    chosen = parse(parser(), arguments)
    config = settings(chosen, SegmentConfig)
    if chosen.json:
        config = replace(config, format="jsonl")
    if Path(chosen.run).is_file():
        raise RunError(
            f"{chosen.run}: is a file, not the folder of a run; name the run first, then what to "
            f"segment: 'segtopic segment RUN {chosen.run}'"
        )
    if chosen.workers is not None and chosen.workers < 1:
        raise ConfigError(f"--workers is {chosen.workers}, but must be at least 1")
    if chosen.resume and config.out is None:
        raise ConfigError("--resume needs --out: only a file can go on")

    if chosen.ray is not None:
        return _on_ray(chosen, config)
    if config.format == "parquet":
        raise ConfigError(
            "format parquet is for the shards of --ray; take jsonl, or 'segtopic apply' for a table"
        )

    with opening(chosen.run):
        from segtopic.corpus.records import BadLines
        from segtopic.corpus.sources import locate, with_columns_of
        from segtopic.engine import Processes
        from segtopic.runs import load_run
        from segtopic.segment.job import SegmentJob, Workers, lists_of, output_key, records_of
        from segtopic.segment.output import ResumableFile

        sources = [locate(config.source(data)) for data in chosen.sources or ["-"]]
        trained = load_run(chosen.run)
    sources = [with_columns_of(source, trained.config) for source in sources]
    if config.phrases == "marked":
        remark_without_grammar(trained)
    wishes = _wishes(config, trained)
    job = SegmentJob.of(trained, config, wishes)
    workers = None
    if chosen.workers is not None:
        workers = Workers(Processes(chosen.workers), trained.saved_folder, wishes)
    bad_lines = BadLines(config.on_bad_line)
    records = records_of(sources, bad_lines)
    if config.out is None:
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        form, write = _printed(config, sources)
        job.write(records, write, form, sys.stdout.flush, workers)
    else:
        key = output_key(trained, config, sources, lists_of(config))
        try:
            with (
                ResumableFile(Path(config.out), key, chosen.resume, chosen.overwrite) as output,
                counting() as progress,
            ):
                job.save(records, output, progress, workers)
        except KeyboardInterrupt:
            remark("interrupted; go on with the same command and --resume")
            return 130
    remark_skipped(bad_lines.count, bad_lines.examples)
    return 0


def _on_ray(chosen: Namespace, config: SegmentConfig) -> int:
    """Segment on a cluster, and tell what became of the documents."""
    if config.out is None:
        raise ConfigError("--ray needs --out: a folder for the shards, here or on another storage")
    if config.format == "text":
        config = replace(config, format="jsonl")
    if config.format == "html":
        raise ConfigError("format html is one page; take jsonl, csv, gensim or parquet with --ray")

    with opening(chosen.run):
        from segtopic.corpus.records import BadLines
        from segtopic.corpus.sources import locate, with_columns_of
        from segtopic.runs import load_run
        from segtopic.segment.cluster import ClusterJob

        sources = [locate(config.source(data)) for data in chosen.sources or ["-"]]
        trained = load_run(chosen.run)
    sources = [with_columns_of(source, trained.config) for source in sources]
    job = ClusterJob(trained, config, tuple(sources), _wishes(config, trained))
    bad_lines = BadLines(config.on_bad_line)
    try:
        with counting() as progress:
            manifest = job.run(
                chosen.ray, chosen.workers, bad_lines, chosen.resume, chosen.overwrite, progress
            )
    except KeyboardInterrupt:
        remark("interrupted; go on with the same command and --resume")
        return 130
    remark_skipped(bad_lines.count, bad_lines.examples)
    failed = [each["id"] for shard in manifest["shards"] for each in shard["failed"]]
    if failed:
        more = f" and {len(failed) - 3} more" if len(failed) > 3 else ""
        remark(
            f"{len(failed)} documents could not be segmented ({', '.join(failed[:3])}{more}); "
            "the manifest tells why, all others are there"
        )
    if chosen.json:
        print_json({key: value for key, value in manifest.items() if key != "shards"})
    else:
        remark(
            f"{manifest['documents']:,} documents in {len(manifest['shards'])} shards "
            f"in {config.out}"
        )
    return 0


def _printed(
    config: SegmentConfig, sources: Sequence["Source"]
) -> tuple["Format | None", Callable[[str], object]]:
    """How the standard output is written: brackets in colour, everything else as it is."""
    from segtopic.segment.formats import TextFormat

    if config.format != "text":
        return None, print_file
    form = TextFormat(has_colours(sys.stdout), headings=not _is_one_text(sources))
    return form, sys.stdout.write  # harmless already, but for its own colours


def _is_one_text(sources: Sequence["Source"]) -> bool:
    """Whether the output is the only document and needs no heading."""
    from segtopic.corpus.readers import format_of

    path = sources[0].path
    return len(sources) == 1 and path is not None and path.is_file() and format_of(path) == "text"


def _wishes(config: SegmentConfig, trained: "TrainedModel") -> "Wishes":
    from segtopic.segment.wishes import PhraseList, Wishes, read_phrases

    phrases = []
    for name, path, longest in (
        ("join", config.join, trained.config.max_segment_length),
        ("split", config.split, None),
    ):
        found = read_phrases(Path(path), trained.encoder, longest) if path else PhraseList()
        phrases.append(found.phrases)
        if found.unusable:
            remark(
                f"{path}: {len(found.unusable)} phrases to {name} are never one run of known "
                f"words ({'; '.join(found.unusable[:3])})"
            )
    return Wishes(*phrases)
