"""Pictures of utterances as files of their own: SVG that opens anywhere, and PNG."""

from collections.abc import Iterable
from pathlib import Path

from segtopic.errors import ConfigError
from segtopic.files import write_atomically
from segtopic.report.document import environment
from segtopic.report.speech.dots import as_png
from segtopic.report.speech.parts import MAKER, PAINT
from segtopic.report.speech.picture import SpeechPicture

NAME = "utterance-{}.{}"
HEAD = 1024  # bytes of a file in which its maker is named


def check_folder(folder: Path) -> None:
    """Make it, before any work is done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"{folder}: cannot be a folder ({error.strerror}); choose another --pictures"
        ) from None


def write_pictures(pictures: Iterable[SpeechPicture], folder: Path) -> list[Path]:
    """Write each as SVG and PNG, and remove those that an earlier report has left."""
    written = []
    for number, each in enumerate(pictures, start=1):
        for suffix, content in (("svg", as_svg(each).encode()), ("png", as_png(each))):
            path = folder / NAME.format(number, suffix)
            write_atomically(path, content)
            written.append(path)
    for path in folder.glob(NAME.format("*", "*")):
        if path not in written and path.is_file() and _is_ours(path):
            path.unlink()
    return written


def as_svg(picture: SpeechPicture) -> str:
    """The drawing of the page, with both images in it."""
    template = environment().get_template("picture.svg")
    return template.render(p=picture, paint=PAINT, maker=MAKER, plays=False)


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        return MAKER.encode() in file.read(HEAD)
