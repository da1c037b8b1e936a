"""A picture of an utterance as a file of its own: SVG that opens anywhere, or PNG."""

import base64
import io
from html import escape

from PIL import Image, ImageDraw, ImageFont

from segtopic.report.speech.picture import SpeechPicture

INK, RULE, FIELD = "#20242c", "#c0392b", "#e8edf5"


def as_svg(picture: SpeechPicture) -> str:
    """The drawing with both images in it."""
    p = picture
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{p.width:g}" height="{p.height:g}" '
        f'viewBox="0 0 {p.width:g} {p.height:g}" font-family="monospace" font-size="12">',
        f'<rect width="{p.width:g}" height="{p.height:g}" fill="#fff"/>',
        _image(p.spectrogram, p.left, p.top, p.span, p.band),
        _image(p.shades, p.left, p.shades_y, p.shades_span, p.shades_height),
        *(
            f'<path d="M{x:g} {p.top:g}v{p.band:g}" stroke="{RULE}" stroke-width="1"/>'
            for x in p.borders
        ),
    ]
    for row in p.rows:
        parts.append(f'<text x="4" y="{row.y + 17:g}" fill="{INK}">{escape(row.name)}</text>')
        for label in row.labels:
            parts.append(
                f'<rect x="{label.x:g}" y="{row.y:g}" width="{max(label.width - 1, 1):g}" '
                f'height="{p.row:g}" fill="{FIELD}"/><text x="{label.x + label.width / 2:g}" '
                f'y="{row.y + 17:g}" text-anchor="middle" fill="{INK}">{escape(label.text)}</text>'
            )
    parts.append(f'<text x="4" y="{p.shades_y + 12:g}" fill="{INK}">posterior</text></svg>')
    return "\n".join(parts) + "\n"


def as_png_file(picture: SpeechPicture, scale: int = 2) -> bytes:
    """The same drawing in dots."""
    p = picture
    canvas = Image.new("RGB", (int(p.width * scale), int(p.height * scale)), "white")
    for content, y, span, height in (
        (p.spectrogram, p.top, p.span, p.band),
        (p.shades, p.shades_y, p.shades_span, p.shades_height),
    ):
        image = Image.open(io.BytesIO(base64.b64decode(content))).convert("RGB")
        size = (max(int(span * scale), 1), max(int(height * scale), 1))
        canvas.paste(
            image.resize(size, Image.Resampling.NEAREST), (int(p.left * scale), int(y * scale))
        )
    pen, font = ImageDraw.Draw(canvas), ImageFont.load_default(12 * scale)
    for x in p.borders:
        pen.line([x * scale, p.top * scale, x * scale, (p.top + p.band) * scale], RULE, scale)
    for row in p.rows:
        pen.text((4 * scale, (row.y + 6) * scale), row.name, INK, font)
        for label in row.labels:
            right = label.x + max(label.width - 1, 1)
            box = [label.x * scale, row.y * scale, right * scale, (row.y + p.row) * scale]
            pen.rectangle(box, FIELD)
            middle = ((label.x + label.width / 2) * scale, (row.y + p.row / 2) * scale)
            pen.text(middle, label.text, INK, font, anchor="mm")
    pen.text((4 * scale, p.shades_y * scale), "posterior", INK, font)
    file = io.BytesIO()
    canvas.save(file, "PNG")
    return file.getvalue()


def _image(content: str, x: float, y: float, width: float, height: float) -> str:
    return (
        f'<image href="data:image/png;base64,{content}" x="{x:g}" y="{y:g}" width="{width:g}" '
        f'height="{height:g}" preserveAspectRatio="none" image-rendering="pixelated"/>'
    )
