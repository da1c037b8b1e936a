"""What commands show: a table for people, JSON for programs, progress on the error stream.

Names and words come from strangers: everything but JSON, which escapes them itself, passes through
:mod:`segtopic.harmless` on its way to the terminal.
"""

import json
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from segtopic.commands.terminal import column_widths, is_lively
from segtopic.harmless import for_line, for_terminal

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.evaluate.predictive import Evaluation
    from segtopic.runs import TrainedModel

SECONDS_BETWEEN_LINES = 2.0
LONGEST_CELL = 300


def print_json(values: dict[str, Any]) -> None:
    """One JSON object on standard output."""
    json.dump(values, sys.stdout, ensure_ascii=True, indent=2)
    sys.stdout.write("\n")


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table on a terminal; aligned plain text where the output goes to a file or a pipe."""
    rows = [[shortened(for_line(cell)) for cell in row] for row in rows]
    lines = [*([header] if any(header) else []), *rows]
    if is_lively(sys.stdout) and rows:
        console = Console()
        column_width = column_widths(lines, console.width)
        if column_width is None:
            _print_stacked(title, header, rows, console.width)
            return
        # Text, because rich would take brackets in a string for its markup.
        table = Table(title=Text(for_line(title)), title_justify="left", show_header=any(header))
        for name, width in zip(header, column_width, strict=True):
            table.add_column(name, overflow="fold", width=width)
        for row in rows:
            table.add_row(*map(Text, row))
        console.print(table)
        return
    print_line(title)
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("  " + "  ".join(cells).rstrip())


def _print_stacked(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], width: int
) -> None:
    """A table with more columns than the terminal has room for: a line for each cell."""
    print_line(title)
    for row in rows:
        for place, (name, cell) in enumerate(zip(header, row, strict=True)):
            text = f"{name}: {cell}" if name else cell
            indent = "  " if place == 0 else "    "
            print(
                textwrap.fill(
                    text,
                    width,
                    initial_indent=indent,
                    subsequent_indent="      ",
                    break_long_words=False,
                    break_on_hyphens=False,
                )
            )


def print_line(text: str) -> None:
    """A line on standard output, with names or words in it."""
    print(for_line(text))


def print_file(content: str) -> None:
    """The content of a file on standard output, as it is; a terminal must not obey it."""
    sys.stdout.write(for_terminal(content) if sys.stdout.isatty() else content)


def remark(text: str) -> None:
    """A line for the user on the error stream."""
    print(f"segtopic: {for_line(text)}", file=sys.stderr, flush=True)


def tell(text: str) -> None:
    """A line on the error stream on how the work goes on."""
    print(for_line(text), file=sys.stderr, flush=True)


def tell_description() -> None:
    """Before the topics of a run are described for the first time, which takes seconds."""
    tell("describing the topics; this is done once")


def tell_list(rows: Iterable[tuple[str, Sequence[str]]]) -> None:
    """A line for each row on the error stream: what leads it, and as many entries as fit."""
    width = shutil.get_terminal_size((100, 24)).columns
    for lead, entries in rows:
        line = f"  {lead:>6} "
        for place, entry in enumerate(entries):
            more = (", " if place else " ") + shortened(for_line(entry))
            if place and cell_len(line + more) > width:
                break
            line += more
        tell(line)


def remark_skipped(
    count: int, examples: Sequence[str], what: str = "lines that cannot be read"
) -> None:
    """How many were skipped, with the first few; nothing if none was."""
    if count:
        remark(f"skipped {count} {what} ({'; '.join(examples)})")


def remark_without_grammar(trained: "TrainedModel") -> None:
    """Say what marked phrases lack where a run does not know which words begin and end them."""
    if trained.corpus.grammar is None:
        remark(
            f"{trained.name}: has no phrase grammar, as its texts were too few or an earlier "
            "segtopic made it, so only words of its vocabulary are marked; train it again on "
            "more text, or with this segtopic"
        )


def shortened(cell: str) -> str:
    """A cell that a table can hold; a corpus may have words of a million letters.

    >>> len(shortened("x" * 1_000_000))
    300
    """
    return cell if len(cell) <= LONGEST_CELL else cell[: LONGEST_CELL - 3] + "..."


def evaluation_rows(evaluation: "Evaluation", bigram: float | None) -> list[tuple[str, str]]:
    """The figures in words; ``bigram`` is a smoothed bigram's figure for continuation words."""
    figures = evaluation.to_dict()

    def with_interval(name: str) -> str:
        low, high = figures[f"{name}_interval"]
        return f"{figures[name]:.4f}  [{low:.3f}, {high:.3f}]"

    refined, several, of_some = [], [], ""
    if evaluation.refined is not None:
        refined = [("  refined topics", with_interval("predictive_refined"))]
    if evaluation.n_samples > 1:
        several = [(f"  {evaluation.n_samples} samples", f"{evaluation.multi_sample:.4f}")]
    if evaluation.n_bounded < figures["documents"]:
        of_some = f" (of {evaluation.n_bounded:,})"
    return [
        ("scored words", f"{figures['scored_words']:,}"),
        ("predictive log likelihood per word", ""),
        *refined,
        ("  encoder's mean", with_interval("predictive_mean")),
        (f"  continuation words{', refined' if refined else ''}", f"{evaluation.continuation:.4f}"),
        ("    by a smoothed bigram", "" if bigram is None else f"{bigram:.4f}"),
        (f"bounds on whole documents{of_some}, per word", ""),
        ("  one sample (ELBO)", f"{evaluation.elbo:.4f}"),
        *several,
        ("divergence per document", f"{evaluation.kl:.1f} nats"),
        ("active topics", f"{evaluation.active_topics} of {evaluation.n_topics}"),
        ("words per segment", f"{evaluation.segment_length:.3f}"),
        ("segments of several words", f"{evaluation.long_segments:.1%}"),
    ]


@contextmanager
def counting(unit: str = "documents") -> Iterator[Callable[[str, int], None]]:
    """A callback for a stage and a number of units: a moving line, or now and then a line."""
    if not is_lively(sys.stderr):
        yield _PlainCounter(unit)
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.completed:,} " + unit),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda stage, count: progress.update(task, description=stage, completed=count)


class _PlainCounter:
    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._last = time.monotonic()

    def __call__(self, stage: str, count: int) -> None:
        if time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            print(f"{stage}: {count:,} {self._unit}", file=sys.stderr, flush=True)
