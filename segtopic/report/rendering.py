"""The page: :class:`Contents` in, HTML out."""

from collections.abc import Sequence
from typing import Any

from segtopic.report import curves, prediction, small_multiples
from segtopic.report.contents import Contents
from segtopic.report.document import document
from segtopic.report.figures import share
from segtopic.report.topic_list import ShownTopic

SCRIPTS = (
    "page.js",
    "theme.js",
    "csv.js",
    "address.js",
    "slider.js",
    "curves.js",
    "changes.js",
    "layout.js",
    "map.js",
    "search.js",
    "switch.js",
    "topics.js",
    "reader.js",
    "documents.js",
    "arrival.js",
)


def render(contents: Contents) -> str:
    """The page."""
    return document(
        "page.html",
        ("page.css",),
        SCRIPTS,
        _data(contents),
        c=contents,
        frame=curves,
        small=small_multiples,
        share=share,
        n_cut=sum(shown.characters > len(shown.text) for shown in contents.documents),
    )


def _data(contents: Contents) -> dict[str, Any]:
    topics = zip(contents.topics, contents.typical, strict=True)
    return {
        "topics": [_topic(topic, typical) for topic, typical in topics],
        "view": "marked" if contents.marked else "best",
        "documents": [vars(document) for document in contents.documents],
        "curves": curves.for_the_script(contents.curves),
        "prediction": prediction.for_the_script(contents.prediction),
        "changes": {
            "over-time": small_multiples.for_the_script(contents.over_time),
            "by-group": small_multiples.for_the_script(contents.by_group),
        },
    }


def _topic(topic: ShownTopic, typical: Sequence[tuple[int, float]]) -> dict[str, Any]:
    return {
        "number": topic.number,
        "label": topic.label,
        "share": round(topic.share, 5),
        "hue": topic.hue,
        "x": topic.place[0],
        "y": topic.place[1],
        "phrases": [[p.text, float(f"{p.probability:.3g}"), p.count] for p in topic.phrases],
        "documents": typical,
    }
