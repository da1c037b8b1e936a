"""``segtopic apply RUN [FILES]``: documents as a table of topics and key phrases."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from segtopic.commands.arguments import CommandParser, command_parser, parse, settings
from segtopic.commands.describing import describe_first
from segtopic.commands.display import counting, print_file, remark, remark_skipped
from segtopic.commands.opening import opening
from segtopic.config import ApplyConfig
from segtopic.errors import ConfigError

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.corpus.records import BadLines
    from segtopic.corpus.sources import Source
    from segtopic.explore.rows import RowStream
    from segtopic.runs import TrainedModel


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "apply",
        "Make a table with a row for each document: its id, all other columns of the input, the "
        "share of every topic under its name, the best topic and key phrases. Documents of the "
        "run and new ones alike; sources are files, folders, named corpora or '-'.",
        ApplyConfig,
    )
    made.add_argument("run", type=str, help="folder of the run")
    made.add_argument(
        "sources", nargs="*", type=str, default=[], help="the run's own documents if not given"
    )
    made.add_argument("--resume", action="store_true", help="go on with an interrupted output")
    made.add_argument("--overwrite", action="store_true", help="replace the output")
    return made


def run(arguments: Sequence[str]) -> int:
    """Write the table."""
    chosen = parse(parser(), arguments)
    config = settings(chosen, ApplyConfig)
    if chosen.json:
        config = replace(config, format="jsonl")
    if config.table_format == "parquet" and (config.out is None or chosen.resume):
        what = "--resume goes on with CSV and JSON lines only" if config.out else "needs --out"
        raise ConfigError(f"--format parquet: {what}; a Parquet file is written as a whole")
    if chosen.resume and config.out is None:
        raise ConfigError("--resume needs --out: only a file can go on")

    with opening(chosen.run):
        from segtopic.corpus.records import BadLines
        from segtopic.explore.apply import ApplyJob
        from segtopic.explore.rows import new_sources, own_sources
        from segtopic.explore.table import TEXT_TABLES, TableColumns
        from segtopic.runs import load_run
        from segtopic.runs.naming import NAMES
        from segtopic.segment.job import output_key
        from segtopic.segment.output import ResumableFile

        trained = load_run(chosen.run)
    if chosen.sources:
        sources, policy = new_sources(chosen.sources, config, trained.config), config.on_bad_line
    else:
        remedy = "name the files with the documents"
        sources, policy = own_sources(trained, config, remedy), trained.config.on_bad_line
    bad_lines = BadLines(policy)
    documents = _documents(trained, sources, bad_lines, config)
    describe_first(trained)
    job = ApplyJob.of(trained, config)
    columns = TableColumns(documents.columns, job.names, trained.model.keeps_common)
    if config.out is None:
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        job.write(documents, print_file, TEXT_TABLES[config.table_format](columns))
    elif config.table_format == "parquet":
        with counting() as progress:
            path = Path(config.out)
            job.save_parquet(documents, path, columns, chosen.overwrite, progress)
    else:
        names = [path for path in [trained.saved_folder / NAMES] if path.exists()]
        key = output_key(trained, config, sources, names)
        table = TEXT_TABLES[config.table_format](columns)
        try:
            with (
                ResumableFile(Path(config.out), key, chosen.resume, chosen.overwrite) as output,
                counting() as progress,
            ):
                job.save(documents, output, table, progress)
        except KeyboardInterrupt:
            remark("interrupted; go on with the same command and --resume")
            return 130
    remark_skipped(bad_lines.count, bad_lines.examples)
    if documents.left_out:
        column, times = documents.left_out.most_common(1)[0]
        remark(
            f"{len(documents.left_out)} columns that the first document has not were left out "
            f"('{column}' {times:,} times)"
        )
    return 0


def _documents(
    trained: "TrainedModel",
    sources: Sequence["Source"],
    bad_lines: "BadLines",
    config: ApplyConfig,
) -> "RowStream":
    from segtopic.explore.rows import RowStream, kept_documents

    if sources:
        return RowStream.of(sources, bad_lines, config.dropped)
    return RowStream([islice(kept_documents(trained), config.limit)], [], config.dropped)
