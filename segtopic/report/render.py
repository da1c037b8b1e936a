"""The page of a topic run: contents in, HTML out."""

from collections.abc import Sequence
from typing import Any

from segtopic.report import curves
from segtopic.report.contents import Contents
from segtopic.report.document import document
from segtopic.report.shown import ShownDocument
from segtopic.report.topic_list import ShownTopic

SCRIPTS = ("page.js", "theme.js", "curves.js", "map.js", "topics.js", "reader.js", "documents.js")
TYPICAL = 5  # documents told with a topic


def render(contents: Contents) -> str:
    """The page."""
    return document(
        "page.html",
        ("page.css",),
        SCRIPTS,
        _data(contents),
        c=contents,
        frame=curves,
        n_cut=sum(shown.characters > len(shown.text) for shown in contents.documents),
    )


def _data(contents: Contents) -> dict[str, Any]:
    shown = contents.documents
    return {
        "topics": [_topic(topic, place, shown) for place, topic in enumerate(contents.topics)],
        "documents": [vars(document) for document in shown],
        "curves": curves.for_the_script(contents.curves),
    }


def _topic(topic: ShownTopic, place: int, shown: Sequence[ShownDocument]) -> dict[str, Any]:
    shares = [(dict(document.topics).get(place, 0), n) for n, document in enumerate(shown)]
    typical = sorted((s for s in shares if s[0] > 0), key=lambda pair: (-pair[0], pair[1]))
    return {
        "number": topic.number,
        "label": topic.label,
        "share": round(topic.share, 5),
        "hue": topic.hue,
        "x": topic.place[0],
        "y": topic.place[1],
        "phrases": [[p.text, float(f"{p.probability:.3g}"), p.count] for p in topic.phrases],
        "documents": [[number, share] for share, number in typical[:TYPICAL]],
    }
