"""The report of a sequence model: one self-contained page that opens from disk.

>>> from segtopic.swan.trained import load_swan
>>> written = write_swan_report(load_swan("runs/g2p"))  # doctest: +SKIP
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from segtopic.errors import ConfigError
from segtopic.files import write_atomically
from segtopic.report import curves
from segtopic.report.document import check_free, document
from segtopic.report.swan.contents import Progress, gather
from segtopic.swan.pairs import Entry
from segtopic.swan.trained import TrainedSwan

__all__ = ["WrittenSwan", "write_swan_report"]

SHOWN = 6


@dataclass(frozen=True)
class WrittenSwan:
    """A report.

    Attributes:
        path: Where it is.
        n_bytes: How large it is.
        n_pictures: How many alignments it shows.
        n_inputs: How many inputs it judges.
    """

    path: Path
    n_bytes: int
    n_pictures: int
    n_inputs: int


def write_swan_report(
    trained: TrainedSwan,
    path: Path | None = None,
    entries: Sequence[Entry] | None = None,
    source: str | None = None,
    n_pictures: int = SHOWN,
    seed: int = 0,
    progress: Progress = lambda stage, count: None,
) -> WrittenSwan:
    """Write the report of a run.

    Args:
        trained: a finished run.
        path: of the page; ``report.html`` in the run if not given. Only a report is replaced.
        entries: inputs and references to judge and draw; the development ones if not given.
        source: what the entries are called.
        n_pictures: how many alignments are drawn, at most.
        seed: which ones.
        progress: called with a stage and a number of sequences.
    """
    if n_pictures < 0:
        raise ConfigError(f"--words is {n_pictures}, but must be at least 0")
    if seed < 0:
        raise ConfigError(f"--seed is {seed}, but must be at least 0")
    output, path = path, path or trained.saved_folder / "report.html"
    check_free(path)
    contents = gather(trained, entries, source, n_pictures, seed, progress, output)
    page = document(
        "swan.html",
        ("page.css", "swan.css"),
        ("page.js", "theme.js", "csv.js", "slider.js", "curves.js"),
        {"curves": curves.for_the_script(contents.curves)},
        c=contents,
        frame=curves,
    ).encode()
    write_atomically(path, page)
    return WrittenSwan(path, len(page), len(contents.words), contents.n_inputs)
