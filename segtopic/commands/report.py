"""``segtopic report RUN``: everything that a run shows, on one page."""

from collections.abc import Sequence
from pathlib import Path

from segtopic.commands.arguments import CommandParser, command_parser, parse
from segtopic.commands.columns import add_column_flags, found_changes
from segtopic.commands.describing import describe_first
from segtopic.commands.display import counting, print_json, print_line
from segtopic.commands.opening import opening


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "report",
        "Write one self-contained HTML page: topics, segmented documents, phrases, likelihood "
        "beside the baselines, training curves and settings. It opens from disk, without network.",
    )
    made.add_argument("run", type=str, help="folder of the run")
    made.add_argument("-o", "--out", type=str, help="the page; report.html in the run if none")
    made.add_argument(
        "--documents",
        type=int,
        default=300,
        help="how many documents to show besides the most typical of each topic; 0 for none at all",
    )
    made.add_argument("--data", type=str, help="where the texts are now, if they were moved")
    made.add_argument("--seed", type=int, default=0, help="which documents to show")
    add_column_flags(made)
    return made


def run(arguments: Sequence[str]) -> int:
    """Write the page and tell where it is."""
    chosen = parse(parser(), arguments)

    with opening(chosen.run):
        from segtopic.report import write_report
        from segtopic.runs import load_run

        trained = load_run(chosen.run).reading_from(chosen.data, chosen.text_column)
    path = Path(chosen.out) if chosen.out else None
    describe_first(trained)
    changes = found_changes(trained, chosen)
    with counting() as progress:
        written = write_report(trained, path, chosen.documents, chosen.seed, progress, **changes)
    if chosen.json:
        print_json(
            {
                "report": str(written.path),
                "bytes": written.n_bytes,
                "topics": written.n_topics,
                "documents": written.n_documents,
                "compared": written.compared,
            }
        )
        return 0
    print_line(
        f"{written.path}: {written.n_bytes / 1e6:.1f} MB, {written.n_topics} topics, "
        f"{written.n_documents} documents"
    )
    if not written.compared and trained.corpus.test.n_documents:
        print_line(
            f"For baselines beside the run: segtopic compare {chosen.run}, then report again"
        )
    return 0
