"""``segtopic sample RUN --documents N``: new documents drawn from a model."""

import sys
from collections.abc import Sequence
from pathlib import Path

from segtopic.commands.arguments import CommandParser, command_parser, parse, settings
from segtopic.commands.display import counting, print_file, remark
from segtopic.commands.opening import opening
from segtopic.config import SampleConfig
from segtopic.errors import ConfigError


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "sample",
        "Draw documents from a model: texts with the topics, phrases and lengths of its training "
        "text, but no sentence of it. The output is JSON lines in any case.",
        SampleConfig,
    )
    made.add_argument("run", type=str, help="folder of the run")
    made.add_argument("--workers", type=int | None, help="processes, each with one thread")
    made.add_argument("--resume", action="store_true", help="go on with an interrupted output")
    made.add_argument("--overwrite", action="store_true", help="replace the output")
    return made


def run(arguments: Sequence[str]) -> int:
    """Draw documents and write them."""
    chosen = parse(parser(), arguments)
    config = settings(chosen, SampleConfig)
    if chosen.workers is not None and chosen.workers < 1:
        raise ConfigError(f"--workers is {chosen.workers}, but must be at least 1")
    if chosen.resume and config.out is None:
        raise ConfigError("--resume needs --out: only a file can go on")

    with opening(chosen.run):
        from segtopic.engine import Processes
        from segtopic.runs import load_run
        from segtopic.sample.writing import samples_key, save_samples, write_samples
        from segtopic.segment.output import ResumableFile

        trained = load_run(chosen.run)
    workers = None if chosen.workers is None else Processes(chosen.workers)
    if config.out is None:
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        write_samples(trained, config, print_file, workers)
        return 0
    key = samples_key(trained, config)
    try:
        with (
            ResumableFile(Path(config.out), key, chosen.resume, chosen.overwrite) as output,
            counting() as progress,
        ):
            save_samples(trained, config, output, progress, workers)
    except KeyboardInterrupt:
        remark("interrupted; go on with the same command and --resume")
        return 130
    return 0
