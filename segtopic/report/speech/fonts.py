"""Letters for a picture in dots: a font of the system that has them, else Pillow's own.

Letters that no font has become others, not boxes.
"""

from functools import cache

from PIL import ImageFont

from segtopic.report.speech.lettering import NOTHING, SPACE

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
# On Linux, macOS and Windows; those after the first are asked for what it does not have.
NAMES = (
    "DejaVuSansMono.ttf",
    "Menlo.ttc",
    "consola.ttf",
    "DejaVuSans.ttf",
    "Arial Unicode.ttf",
    "NotoSansCJK-Regular.ttc",
    "msgothic.ttc",
)
INSTEAD = {SPACE: "_", NOTHING: "-"}
UNKNOWN = "?"
_IN_NO_FONT = "\U0010ffff"


def lettered(text: str, size: int) -> tuple[str, Font]:
    """The text with letters that the font has, and the font that has most of them."""
    font = max(_fonts(size), key=lambda each: sum(_has(each, letter) for letter in text))
    return "".join(each if _has(font, each) else INSTEAD.get(each, UNKNOWN) for each in text), font


@cache
def _fonts(size: int) -> list[Font]:
    found: list[Font] = []
    for name in NAMES:
        try:
            found.append(ImageFont.truetype(name, size))
        except OSError:  # there is no such font
            continue
    return [*found, ImageFont.load_default(size)]


@cache
def _has(font: Font, letter: str) -> bool:
    """Whether it is drawn otherwise than a letter that no font has."""
    drawn, empty = (font.getmask(each) for each in (letter, _IN_NO_FONT))
    return (drawn.size, bytes(drawn)) != (empty.size, bytes(empty))
