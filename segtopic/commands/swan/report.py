"""``segtopic swan report RUN [PAIRS]``: alignments and figures of a run, on one page."""

from collections.abc import Sequence
from pathlib import Path

from segtopic.commands.arguments import (
    CommandParser,
    command_parser,
    given_settings,
    parse,
    settings,
)
from segtopic.commands.display import counting, print_json, print_line, remark_skipped
from segtopic.config import LinesConfig
from segtopic.errors import ConfigError

# What only one kind of model has a use for.
OF_PAIRS = {"encoding": "--encoding", "on_bad_line": "--on-bad-line"}
OF_SPEECH = {"part": "--part", "pictures": "--pictures"}


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "swan report",
        "Write one self-contained HTML page: errors, training curves, pictures of alignments, what "
        "each input emits, settings. It opens from disk, without network.",
        LinesConfig,
    )
    made.add_argument("run", type=str, help="folder of the run")
    made.add_argument(
        "pairs",
        nargs="?",
        type=str,
        help="pairs, or a folder of features; the development part of the run if not given",
    )
    made.add_argument("--part", type=str, default="test", help="of a folder of features")
    made.add_argument("--pictures", type=str, help="folder for pictures of speech as SVG and PNG")
    made.add_argument("-o", "--out", type=str, help="the page; report.html in the run if none")
    made.add_argument("--words", type=int, default=6, help="how many alignments to draw, at most")
    made.add_argument("--seed", type=int, default=0, help="which inputs to show")
    return made


def run(arguments: Sequence[str]) -> int:
    """Write the page and tell where it is."""
    chosen = parse(parser(), arguments)
    config = settings(chosen, LinesConfig)

    from segtopic.commands.swan.speech import report_speech
    from segtopic.corpus.records import BadLines
    from segtopic.report.swan import write_swan_report
    from segtopic.swan.heard import is_listener
    from segtopic.swan.pairs import read_entries
    from segtopic.swan.trained import load_swan

    hears = is_listener(chosen.run)
    given = given_settings(parser(), arguments)
    for name, flag in (OF_PAIRS if hears else OF_SPEECH).items():
        if name in given:
            what = "speech" if hears else "pairs of symbols"
            raise ConfigError(f"{chosen.run}: is a model of {what}, so {flag} means nothing here")
    if hears:
        report_speech(chosen)
        return 0
    trained = load_swan(chosen.run)
    bad_lines, entries = BadLines(config.on_bad_line), None
    if chosen.pairs is not None:
        known = trained.predictor.inputs
        entries = read_entries(chosen.pairs, trained.writing, config, bad_lines, known)
    path = Path(chosen.out) if chosen.out else None
    with counting("sequences") as progress:
        written = write_swan_report(
            trained, path, entries, chosen.pairs, chosen.words, chosen.seed, progress
        )
    remark_skipped(bad_lines.count, bad_lines.examples)
    if chosen.json:
        print_json(
            {
                "report": str(written.path),
                "bytes": written.n_bytes,
                "inputs": written.n_inputs,
                "alignments": written.n_pictures,
            }
        )
        return 0
    print_line(
        f"{written.path}: {written.n_bytes / 1e3:.0f} kB, {written.n_pictures} alignments, figures "
        f"of {written.n_inputs:,} inputs"
    )
    return 0
