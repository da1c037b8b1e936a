"""The report of a speech model: one page with pictures that play, and pictures as files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from segtopic.errors import ConfigError
from segtopic.files import write_atomically
from segtopic.report import curves
from segtopic.report.document import check_free, document
from segtopic.report.speech.contents import Progress, gather
from segtopic.report.speech.files import check_folder, write_pictures
from segtopic.report.speech.parts import PAINT
from segtopic.swan.heard import TrainedListener
from segtopic.swan.spoken import Utterance

__all__ = ["WrittenSpeech", "write_speech_report"]


@dataclass(frozen=True)
class WrittenSpeech:
    """A report.

    Attributes:
        path: Where it is.
        n_bytes: How large it is.
        n_inputs: How many recordings it judges.
        pictures: Files of pictures beside it.
        n_pictures: How many utterances the page shows.
    """

    path: Path
    n_bytes: int
    n_inputs: int
    pictures: list[Path]
    n_pictures: int


def write_speech_report(
    trained: TrainedListener,
    some: Sequence[Utterance],
    judged: str,
    path: Path | None = None,
    n_pictures: int = 6,
    seed: int = 0,
    pictures: Path | None = None,
    progress: Progress = lambda stage, count: None,
) -> WrittenSpeech:
    """Write the report of a run.

    Args:
        trained: a finished run.
        some: recordings to judge and draw.
        judged: what they are called.
        path: of the page; ``report.html`` in the run if not given. Only a report is replaced.
        n_pictures: how many utterances are drawn, at most.
        seed: which ones.
        pictures: a folder for each picture as SVG and PNG, too.
        progress: called with a stage and a number of recordings.
    """
    if n_pictures < 0 or seed < 0:
        raise ConfigError(f"--words is {n_pictures}, --seed is {seed}: both must be at least 0")
    path = path or trained.saved_folder / "report.html"
    check_free(path)
    if pictures is not None:
        check_folder(pictures)
    contents = gather(trained, some, judged, n_pictures, seed, progress)
    page = document(
        "speech.html",
        ("page.css", "swan.css", "speech.css"),
        ("page.js", "theme.js", "csv.js", "slider.js", "curves.js", "speech.js"),
        {"curves": curves.for_the_script(contents.curves)},
        media=True,
        c=contents,
        frame=curves,
        paint=PAINT,
    ).encode()
    write_atomically(path, page)
    drawn = [each.picture for each in contents.utterances]
    files = [] if pictures is None else write_pictures(drawn, pictures)
    return WrittenSpeech(path, len(page), contents.n_inputs, files, len(drawn))
