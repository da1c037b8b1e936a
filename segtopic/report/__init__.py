"""The report of a run: one self-contained page that opens from disk.

>>> from pathlib import Path
>>> from segtopic.runs import load_run
>>> written = write_report(load_run("runs/ap"), Path("report.html"))  # doctest: +SKIP
"""

from dataclasses import dataclass
from pathlib import Path

from segtopic.errors import ConfigError
from segtopic.explore.changes import Changes
from segtopic.files import write_atomically
from segtopic.report.contents import gather
from segtopic.report.document import check_free
from segtopic.report.reading import Progress
from segtopic.report.rendering import render
from segtopic.runs import TrainedModel

__all__ = ["Written", "write_report"]

DOCUMENTS = 300


@dataclass(frozen=True)
class Written:
    """A report.

    Attributes:
        path: Where it is.
        n_bytes: How large it is.
        n_topics: How many topics it shows.
        n_documents: How many documents it shows.
        compared: Whether it shows the baselines of ``segtopic compare``.
    """

    path: Path
    n_bytes: int
    n_topics: int
    n_documents: int
    compared: bool


def write_report(
    run: TrainedModel,
    path: Path | None = None,
    n_documents: int = DOCUMENTS,
    seed: int = 0,
    progress: Progress = lambda stage, documents: None,
    over_time: Changes | None = None,
    by_group: Changes | None = None,
) -> Written:
    """Write the report of a run.

    Args:
        run: finished.
        path: of the page; ``report.html`` in the run if not given. Only a report is replaced.
        n_documents: how many documents it shows besides the most typical ones of each topic, at
            most; 0 for none at all, so that no text is on the page.
        seed: which ones.
        progress: called with a stage and a number of documents.
        over_time: shares of the topics over time; without them the page has no such part.
        by_group: shares of the topics by group; likewise.
    """
    output, path = path, path or run.saved_folder / "report.html"
    if n_documents < 0:
        raise ConfigError(f"--documents is {n_documents}, but must be at least 0")
    if seed < 0:
        raise ConfigError(f"--seed is {seed}, but must be at least 0")
    check_free(path)
    contents = gather(run, n_documents, seed, progress, output, over_time, by_group)
    page = render(contents).encode()
    write_atomically(path, page)
    return Written(
        path, len(page), len(contents.topics), len(contents.documents), contents.compared
    )
