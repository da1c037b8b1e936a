"""How segmented documents are written: a document in, a piece of the output out.

=======  =========================================================================================
text     the whole text with brackets around its phrases, as in the paper
jsonl    an object a line: id, text, phrases with offsets and probabilities, topic shares
csv      a row for each phrase
html     a page; the stronger the colour, the surer the phrase
gensim   a line for each document: words as the vocabulary spells them, phrases joined by ``_``
=======  =========================================================================================
"""

import csv
import html
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import orjson
from rich.color import ColorSystem
from rich.style import Style

from segtopic.harmless import for_csv, for_line, for_terminal
from segtopic.runs.view import TopicView
from segtopic.segment.alternatives import Alternative
from segtopic.segment.segmented import Phrase, SegmentedDocument

SURE, HALF_SURE = 0.9, 0.6


@dataclass(frozen=True)
class SegmentedRecord:
    """A document with its id, and its segmentations: one, the best few, or samples."""

    id: str
    alternatives: Sequence[Alternative]

    @property
    def document(self) -> SegmentedDocument:
        """The first segmentation."""
        return self.alternatives[0].document


class Format(Protocol):
    """Writes documents one after the other."""

    def begin(self) -> str:
        """What stands before the first document."""
        ...

    def record(self, record: SegmentedRecord) -> str:
        """One document."""
        ...

    def end(self) -> str:
        """What stands after the last document."""
        ...


class _Plain:
    """Nothing before the first and after the last document."""

    def begin(self) -> str:
        """Nothing."""
        return ""

    def end(self) -> str:
        """Nothing."""
        return ""


class TextFormat(_Plain):
    """``[Machine learning] is part of [artificial intelligence]``.

    Args:
        colours: of the brackets: green where a boundary (or a marked phrase) is sure, yellow, red
            where it is a guess.
        headings: whether every document begins with a line that names it.
    """

    def __init__(self, colours: bool = False, headings: bool = True) -> None:
        self._colours = colours
        self._headings = headings

    def record(self, record: SegmentedRecord) -> str:
        """The text of the document in each of its segmentations."""
        lines = [f"== {for_line(record.id)} =="] if self._headings else []
        several = len(record.alternatives) > 1
        for number, alternative in enumerate(record.alternatives, 1):
            if several:
                lines.append(f"-- {number}: log probability {alternative.log_probability:.3f}")
            lines.append(self._bracketed(alternative.document).strip("\n"))
        return "\n".join(lines) + ("\n\n" if self._headings or several else "\n")

    def _bracketed(self, document: SegmentedDocument) -> str:
        parts = []
        word, before = 0, 1.0
        for gap, phrase in zip(document.gaps, document.phrases, strict=False):
            word += len(phrase.words)
            after = float(document.boundaries[word - 1])
            left, right = (phrase.probability,) * 2 if document.marked else (before, after)
            parts += [for_terminal(gap), self._coloured("[", left), for_terminal(phrase.text)]
            parts.append(self._coloured("]", right))
            before = after
        return "".join([*parts, for_terminal(document.gaps[-1])])

    def _coloured(self, bracket: str, probability: float) -> str:
        if not self._colours:
            return bracket
        colour = "green" if probability >= SURE else "yellow" if probability >= HALF_SURE else "red"
        return Style(color=colour, bold=True).render(bracket, color_system=ColorSystem.STANDARD)


class JsonLinesFormat(_Plain):
    """One object a line; everything of the document is in it.

    Args:
        view: topics that the user has named or merged, if any; their shares are told, too.
    """

    def __init__(self, view: TopicView | None = None) -> None:
        self._view = view if view is not None and view.is_by_hand else None

    def record(self, record: SegmentedRecord) -> str:
        """The line."""
        values = as_json(record)
        if self._view is not None:
            shares = self._view.seen(record.document.topics).tolist()
            names = map(self._view.name, self._view.numbers)
            values["named_topics"] = {
                name: round(share, 5) for name, share in zip(names, shares, strict=True)
            }
        return orjson.dumps(values).decode() + "\n"  # json takes ten times as long


def as_json(record: SegmentedRecord) -> dict[str, Any]:
    """A document as programs read it, from JSON lines and from ``segtopic serve``."""
    document = record.document
    values: dict[str, Any] = {
        "id": record.id,
        "text": document.text,
        "segments": _segments(document),
        "log_probability": _rounded(record.alternatives[0].log_probability),
        "topics": np.round(document.topics, 5).tolist(),
    }
    if document.common is not None:
        values["common"] = round(document.common, 5)
    if len(record.alternatives) > 1:
        values["alternatives"] = [
            {
                "log_probability": _rounded(alternative.log_probability),
                "segments": _segments(alternative.document),
            }
            for alternative in record.alternatives
        ]
    return values


def _rounded(log_probability: float | None) -> float | None:
    return None if log_probability is None else round(log_probability, 6)


def _segments(document: SegmentedDocument) -> list[dict[str, str | int | float]]:
    fewest_words = 2 if document.marked else 1
    return [
        {
            "text": document.text[start:end],
            "start": start,
            "end": end,
            "words": n_words,
            "probability": round(probability, 5),
        }
        for first, last, start, end, probability in document.places()
        if (n_words := last - first + 1) >= fewest_words
    ]


class CsvFormat(_Plain):
    """A row for each phrase; a document without known words has a row without a phrase."""

    COLUMNS = ("id", "alternative", "segment", "text", "start", "end", "words", "probability")

    def begin(self) -> str:
        """The header."""
        return ",".join(self.COLUMNS) + "\n"

    def record(self, record: SegmentedRecord) -> str:
        """The rows."""
        output = io.StringIO()
        writer = csv.DictWriter(output, self.COLUMNS, lineterminator="\n")
        for number, alternative in enumerate(record.alternatives, 1):
            place: dict[str, str | int | float] = {"id": record.id, "alternative": number}
            segments = _segments(alternative.document)
            for segment, values in enumerate(segments, 1):
                writer.writerow(for_csv({**place, "segment": segment, **values}))
            if not segments:
                writer.writerow(for_csv(place))
        return output.getvalue()


class GensimFormat(_Plain):
    """Words and ``joined_phrases`` separated by spaces; unknown words and stop words are gone."""

    def record(self, record: SegmentedRecord) -> str:
        """The line; empty where the document has no known word."""
        return " ".join(map(joined, record.document.segments)) + "\n"


def joined(phrase: Phrase) -> str:
    """A phrase as one token for other tools."""
    return "_".join(phrase.words)


class HtmlFormat:
    """A page that loads nothing and runs nothing."""

    def begin(self) -> str:
        """Head and style."""
        return _PAGE_BEGIN

    def record(self, record: SegmentedRecord) -> str:
        """An article; the texts between and inside phrases are escaped."""
        document = record.document
        parts = []
        for gap, phrase in zip(document.gaps, document.phrases, strict=False):
            sure = f"{phrase.probability:.0%}"
            kind = "phrase" if len(phrase.words) > 1 else "word"
            parts.append(
                f'{_escaped(gap)}<span class="{kind}" title="{sure}" '
                f'style="--sure:{phrase.probability:.2f}">{_escaped(phrase.text)}</span>'
            )
        parts.append(_escaped(document.gaps[-1]))
        return (
            f"<article><h2><bdi>{_escaped(record.id)}</bdi></h2>\n"
            f"<p dir=auto>{''.join(parts)}</p></article>\n"
        )

    def end(self) -> str:
        """The end of the page."""
        return "</main></body></html>\n"


def _escaped(text: str) -> str:
    return html.escape(for_terminal(text))


_PAGE_BEGIN = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Segmented documents</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
:root { color-scheme: light dark; --hue: 210; }
body { font: 1.05rem/1.7 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto;
  padding: 0 1rem; }
h2 { font-size: 1rem; opacity: .7; margin: 2.5rem 0 .5rem; }
p { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; }
.phrase { background: hsl(var(--hue) 80% 50% / calc(.08 + .32 * var(--sure))); border-radius: .3em;
  padding: .05em .2em; box-decoration-break: clone; -webkit-box-decoration-break: clone; }
</style></head><body><main>
<p>The stronger the colour, the surer the phrase; its probability shows under the pointer.</p>
"""


FORMATS: dict[str, type[Format]] = {
    "text": TextFormat,
    "jsonl": JsonLinesFormat,
    "csv": CsvFormat,
    "html": HtmlFormat,
    "gensim": GensimFormat,
}
