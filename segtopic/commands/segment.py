"""``segtopic segment RUN [SOURCES]``: new documents cut into phrases."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from segtopic.commands.arguments import CommandParser, command_parser, parse, settings
from segtopic.commands.display import (
    counting,
    print_file,
    remark,
    remark_skipped,
    remark_without_grammar,
)
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
    made.add_argument("sources", nargs="*", type=str, help="standard input if not given")
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
    if chosen.resume and config.out is None:
        raise ConfigError("--resume needs --out: only a file can go on")

    from segtopic.corpus.records import BadLines
    from segtopic.corpus.sources import locate, with_columns_of
    from segtopic.runs import load_run
    from segtopic.segment.job import SegmentJob, output_key, records_of
    from segtopic.segment.output import ResumableFile

    sources = [locate(config.source(data)) for data in chosen.sources or ["-"]]
    trained = load_run(chosen.run)
    sources = [with_columns_of(source, trained.config) for source in sources]
    job = SegmentJob.of(trained, config, _wishes(config, trained))
    if config.phrases == "marked":
        remark_without_grammar(trained)
    bad_lines = BadLines(config.on_bad_line)
    records = records_of(sources, bad_lines)
    if config.out is None:
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        form, write = _printed(config, sources)
        job.write(records, write, form, after_batch=sys.stdout.flush)
    else:
        named = None if config.mark_stop_words in ("english", "none") else config.mark_stop_words
        lists = [Path(path) for path in (config.join, config.split, named) if path]
        key = output_key(trained, config, sources, lists)
        try:
            with (
                ResumableFile(Path(config.out), key, chosen.resume, chosen.overwrite) as output,
                counting() as progress,
            ):
                job.save(records, output, progress)
        except KeyboardInterrupt:
            remark("interrupted; go on with the same command and --resume")
            return 130
    remark_skipped(bad_lines.count, bad_lines.examples)
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
