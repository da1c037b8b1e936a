"""The HTML of the server: facts of a run in, the living page out; an OpenAPI document in, its
reference out. Both look as the report does and load nothing from elsewhere.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from segtopic.harmless import for_page, for_script
from segtopic.report.document import PAGE as REPORT
from segtopic.serve.schema import RunFacts

PAGE = Path(__file__).parent / "page"
STYLES = (REPORT / "page.css", PAGE / "live.css")
SCRIPTS = (
    REPORT / "page.js",
    REPORT / "theme.js",
    REPORT / "switch.js",
    PAGE / "reading.js",
    PAGE / "ways.js",
    PAGE / "live.js",
)
ICON = (PAGE / "icon.svg").read_text(encoding="utf-8")


class Field(NamedTuple):
    """A field of a question or an answer, as the reference shows it."""

    name: str
    type: str
    default: str
    about: str


class Shape(NamedTuple):
    """An object of the interface."""

    name: str
    about: str
    fields: list[Field]


class Call(NamedTuple):
    """Something that can be asked for."""

    method: str
    path: str
    about: str
    asked: str
    answered: str


def style() -> str:
    """The style sheet of both pages."""
    return "".join(path.read_text(encoding="utf-8") for path in STYLES)


def script() -> str:
    """The script of the living page."""
    parts = "\n".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
    return "(() => {\n" + parts + "})();\n"


def live_page(corpus: str, facts: RunFacts, example: str, missing: str) -> str:
    """The living page.

    Args:
        corpus: name of the corpus.
        facts: about the run.
        example: a text to begin with, if there is one.
        missing: why there are no similar documents, or no first words of them.
    """
    data = {
        "topics": [
            {**topic.model_dump(), "label": for_page(topic.label)} for topic in facts.topics
        ],
        "view": "marked" if facts.grammar else "best",
        "longest": facts.max_segment_length,
        "characters": facts.max_characters,
        "example": for_page(example)[: facts.max_characters],
    }
    return _rendered(
        "live.html",
        corpus=for_page(corpus),
        facts=facts,
        has_example=bool(example),
        missing=for_page(missing),
        data=Markup(for_script(data)),
    )


def reference_page(document: Mapping[str, Any]) -> str:
    """The reference of the JSON interface, from its OpenAPI document."""
    shapes = [
        Shape(name, schema.get("description", ""), list(_fields(schema)))
        for name, schema in document["components"]["schemas"].items()
        if "properties" in schema and not name.startswith(("HTTP", "Validation"))
    ]
    return _rendered("reference.html", calls=list(_calls(document)), shapes=shapes)


def _calls(document: Mapping[str, Any]) -> Iterator[Call]:
    for path, methods in document["paths"].items():
        for method, details in methods.items():
            body = details.get("requestBody", {}).get("content", {})
            answer = details["responses"]["200"]["content"]
            yield Call(
                method.upper(),
                path.removeprefix("/"),
                details["summary"],
                _type(body["application/json"]["schema"]) if body else "",
                _type(answer["application/json"]["schema"]),
            )


def _fields(schema: Mapping[str, Any]) -> Iterator[Field]:
    for name, details in schema["properties"].items():
        needed = name in schema.get("required", ())
        default = "" if needed else repr(details.get("default")).replace("'", '"')
        yield Field(name, _type(details), default, details.get("description", ""))


def _type(schema: Mapping[str, Any]) -> str:
    """A type for people.

    >>> _type({"type": "array", "items": {"$ref": "#/components/schemas/Word"}})
    'list of Word'
    >>> _type({"anyOf": [{"type": "number"}, {"type": "null"}]})
    'number'
    """
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        kinds = [_type(kind) for kind in schema["anyOf"] if kind.get("type") != "null"]
        return " or ".join(kinds)
    if schema["type"] == "array":
        return f"list of {_type(schema['items'])}"
    return {"string": "text", "integer": "whole number"}.get(schema["type"], str(schema["type"]))


def _rendered(template: str, **values: Any) -> str:
    environment = Environment(
        loader=FileSystemLoader(PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(values)
