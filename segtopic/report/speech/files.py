"""Pictures of utterances as files of their own: SVG that opens anywhere, and PNG."""

import re
from collections.abc import Iterable
from pathlib import Path

from segtopic.errors import ConfigError
from segtopic.files import write_atomically
from segtopic.report.document import environment
from segtopic.report.speech.dots import as_png
from segtopic.report.speech.parts import MAKER, PAINT
from segtopic.report.speech.picture import SpeechPicture

NAME = "utterance-{}.{}"
OURS = re.compile(r"utterance-\d+\.(svg|png)")
HEAD = 1024  # bytes of a file in which its maker is named
MARKS = {".svg": f"<metadata>{MAKER}</metadata>".encode(), ".png": b"Software\0" + MAKER.encode()}


def check_folder(folder: Path) -> None:
    """Make it, before any work is done; pictures of somebody else are not replaced."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        others = [path.name for path in _pictures_in(folder) if not _is_ours(path)]
    except OSError as error:
        raise ConfigError(
            f"{folder}: cannot be a folder ({error.strerror}); choose another --pictures"
        ) from None
    if others:
        raise ConfigError(
            f"{folder}: holds {others[0]}, which no report has made; choose another --pictures"
        )


def write_pictures(pictures: Iterable[SpeechPicture], folder: Path) -> list[Path]:
    """Write each as SVG and PNG, and remove those that an earlier report has left."""
    written = []
    for number, each in enumerate(pictures, start=1):
        for suffix, content in (("svg", as_svg(each).encode()), ("png", as_png(each))):
            path = folder / NAME.format(number, suffix)
            write_atomically(path, content)
            written.append(path)
    for path in _pictures_in(folder):
        if path not in written and _is_ours(path):
            path.unlink()
    return written


def as_svg(picture: SpeechPicture) -> str:
    """The drawing of the page, with both images in it."""
    template = environment().get_template("picture.svg")
    return template.render(p=picture, paint=PAINT, maker=MAKER, plays=False)


def _pictures_in(folder: Path) -> list[Path]:
    """By their names."""
    return sorted(path for path in folder.iterdir() if OURS.fullmatch(path.name))


def _is_ours(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return MARKS[path.suffix] in file.read(HEAD)
