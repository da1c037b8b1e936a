"""One self-contained page: contents in, HTML out.

Nothing on the page can reach the network: the content security policy allows the one style sheet
and the one script whose digests it names, and no request at all. Text of users goes through the
template's escaping, or as JSON through the script, which writes it as text and never as HTML.
"""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from segtopic.harmless import for_script
from segtopic.report import curves
from segtopic.report.contents import Contents
from segtopic.report.shown import ShownDocument
from segtopic.report.topic_list import ShownTopic

PAGE = Path(__file__).parent / "page"
GENERATOR = '<meta name="generator" content="segtopic report">'
SCRIPTS = ("page.js", "theme.js", "curves.js", "map.js", "topics.js", "reader.js", "documents.js")
TYPICAL = 5  # documents told with a topic


def render(contents: Contents) -> str:
    """The page."""
    environment = Environment(
        loader=FileSystemLoader(PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = _file("page.css")
    script = "(() => {\n" + "\n".join(map(_file, SCRIPTS)) + "})();\n"
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return environment.get_template("page.html").render(
        c=contents,
        generator=Markup(GENERATOR),
        policy=Markup(policy),
        style=Markup(style),
        script=Markup(script),
        data=Markup(for_script(_data(contents))),
        frame=curves,
        n_cut=sum(document.characters > len(document.text) for document in contents.documents),
    )


def _data(contents: Contents) -> dict[str, Any]:
    shown = contents.documents
    return {
        "topics": [_topic(topic, place, shown) for place, topic in enumerate(contents.topics)],
        "documents": [vars(document) for document in shown],
        "curves": _curves(contents.curves),
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


def _curves(drawn: curves.Curves | None) -> dict[str, Any] | None:
    if drawn is None:
        return None
    return {
        "epochs": drawn.epochs,
        "best": drawn.best,
        "charts": [
            {
                "places": chart.places,
                "lines": [
                    {"name": line.name, "values": line.values, "heights": line.heights}
                    for line in chart.lines
                ],
            }
            for chart in drawn.charts
        ],
    }


def _file(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
