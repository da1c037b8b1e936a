"""A picture of an utterance in dots: the drawing of the page as a PNG file."""

import base64
import io

from PIL import Image, ImageDraw
from PIL.PngImagePlugin import PngInfo

from segtopic.report.speech.fonts import lettered
from segtopic.report.speech.parts import MAKER, PAINT, Box, Panel, Row
from segtopic.report.speech.picture import SpeechPicture

MOST_DOTS = 40_000_000


def as_png(picture: SpeechPicture, scale: int = 2) -> bytes:
    """The file.

    Args:
        picture: to draw.
        scale: dots for a unit of the drawing; one if it is very large.
    """
    fits = picture.width * picture.height * scale**2 <= MOST_DOTS
    canvas = _Canvas(picture, scale if fits else 1)
    canvas.sound()
    for row in picture.rows:
        canvas.row(row)
    canvas.shades()
    canvas.axes()
    return canvas.file()


class _Canvas:
    """Paper and pen; places are in the units of the picture."""

    def __init__(self, picture: SpeechPicture, scale: int) -> None:
        self._picture, self._scale = picture, scale
        size = (round(picture.width * scale), round(picture.height * scale))
        self._paper = Image.new("RGB", size, PAINT.paper)
        self._pen = ImageDraw.Draw(self._paper)

    def sound(self) -> None:
        panel = self._picture.sound
        self._image(panel, Image.Resampling.BICUBIC)
        for x in self._picture.borders:
            self._line(x, panel.box.y, x, panel.box.y + panel.box.height, PAINT.border)

    def row(self, row: Row) -> None:
        p = self._picture
        self._text(4, row.y + p.row / 2, row.name, PAINT.size, anchor="lm")
        for label in row.labels:
            self._box(Box(label.x, row.y, max(label.width - 1, 1), p.row), fill=PAINT.field)
        for label in row.labels:
            if label.written and label.level:
                x, below = label.x + label.width / 2, row.y + p.row
                self._line(x, below, x, below + p.level * label.level - 10, PAINT.soft)
        for label in row.labels:
            below = label.level and p.row / 2 + p.level * label.level - 4
            y = row.y + p.row / 2 + below
            self._text(label.middle, y, label.written, label.size, anchor="mm")

    def shades(self) -> None:
        p = self._picture
        if p.shades is None:
            return
        self._text(4, p.caption.place, p.caption.text, PAINT.size, anchor="lm")
        self._image(p.shades.panel, Image.Resampling.NEAREST)
        for name in p.shades.names:
            self._text(p.sound.box.x - 6, name.place, name.text, PAINT.small, anchor="rm")
        for box in p.shades.emitted:
            self._box(box, outline=PAINT.border)

    def axes(self) -> None:
        p = self._picture
        for y in p.axes:
            self._line(p.sound.box.x, y, p.sound.box.x + p.sound.box.width, y, PAINT.soft)
            self._text(4, y + 12, "seconds", PAINT.small, PAINT.soft, "lm")
            for tick in p.ticks:
                self._line(tick.place, y, tick.place, y + 5, PAINT.soft)
                self._text(tick.place, y + 12, tick.text, PAINT.small, PAINT.soft, "mm")

    def file(self) -> bytes:
        about, file = PngInfo(), io.BytesIO()
        about.add_text("Software", MAKER)
        self._paper.save(file, "PNG", pnginfo=about)
        return file.getvalue()

    def _image(self, panel: Panel, resampling: Image.Resampling) -> None:
        image = Image.open(io.BytesIO(base64.b64decode(panel.png))).convert("RGB")
        x, y, right, bottom = self._corners(panel.box)
        size = (max(right - x, 1), max(bottom - y, 1))
        self._paper.paste(image.resize(size, resampling), (x, y))

    def _box(self, box: Box, fill: str | None = None, outline: str | None = None) -> None:
        self._pen.rectangle(self._corners(box), fill, outline, self._scale)

    def _line(self, x: float, y: float, to_x: float, to_y: float, colour: str) -> None:
        self._pen.line([each * self._scale for each in (x, y, to_x, to_y)], colour, self._scale)

    def _text(
        self, x: float, y: float, text: str, size: int, colour: str = PAINT.ink, anchor: str = "mm"
    ) -> None:
        letters, font = lettered(text, size * self._scale)
        place = (x * self._scale, y * self._scale)
        self._pen.text(place, letters, colour, font, anchor=anchor)

    def _corners(self, box: Box) -> tuple[int, int, int, int]:
        x, y = box.x, box.y
        corners = (x, y, x + box.width, y + box.height)
        left, top, right, bottom = (round(each * self._scale) for each in corners)
        return left, top, right, bottom
