"""What can be asked for: the page, its style and script, and the JSON interface with its reference.

Everything stands below the token, which the guard has checked (:mod:`segtopic.serve.guard`).
"""

from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.exceptions import HTTPException

from segtopic import __version__
from segtopic.errors import SegtopicError
from segtopic.segment.decisions import Decisions
from segtopic.serve.library import Library
from segtopic.serve.pages import ICON, live_page, reference_page, script, style
from segtopic.serve.reader import Reader
from segtopic.serve.schema import (
    PROBLEMS,
    ReadText,
    RunFacts,
    SegmentedText,
    TextToRead,
    TextToSegment,
)
from segtopic.serve.topics import LiveTopics
from segtopic.serve.workshop import Busy, Workshop


@dataclass(frozen=True, eq=False)
class Served:
    """What the server knows.

    Attributes:
        corpus: Name of the corpus.
        facts: About the run.
        topics: With names and colours.
        library: Documents of the run.
        reader: Reads texts.
        workshop: Where it reads them.
    """

    corpus: str
    facts: RunFacts
    topics: LiveTopics
    library: Library
    reader: Reader
    workshop: Workshop


def application(served: Served) -> FastAPI:
    """The application; its paths are relative to the token."""
    app = FastAPI(
        title="segtopic",
        version=__version__,
        description="Phrases, alternatives and topics of texts, by a model on this machine.",
        docs_url=None,  # both load scripts from another server
        redoc_url=None,
        redirect_slashes=False,
    )
    _add_pages(app, served)
    _add_interface(app, served)
    _add_sentences(app)
    return app


def _add_pages(app: FastAPI, served: Served) -> None:
    page = live_page(served.corpus, served.facts, served.library.example, served.library.missing)
    files = {
        "style.css": (style(), "text/css"),
        "script.js": (script(), "text/javascript"),
        "icon.svg": (ICON, "image/svg+xml"),
    }

    @app.get("/", include_in_schema=False)
    async def live() -> HTMLResponse:
        return HTMLResponse(page)

    @app.get("", include_in_schema=False)
    async def without_slash(request: Request) -> RedirectResponse:
        return RedirectResponse(f"{request.scope['root_path']}/")

    @app.get("/api", include_in_schema=False)
    async def reference() -> HTMLResponse:
        return HTMLResponse(reference_page(app.openapi()))

    @app.get("/{name}", include_in_schema=False)
    async def file(name: str) -> Response:
        if name not in files:
            raise HTTPException(404, "there is no such page here")
        content, kind = files[name]
        return Response(content, media_type=kind)


def _add_interface(app: FastAPI, served: Served) -> None:
    def checked(asked: TextToRead) -> Decisions:
        most = served.facts.max_characters
        if len(asked.text) > most:
            raise HTTPException(
                413,
                f"the text has {len(asked.text):,} characters, but at most {most:,} are read; "
                "send a part of it, or use 'segtopic segment'",
            )
        return Decisions(frozenset(asked.join), frozenset(asked.cut))

    @app.get("/api/run", summary="The run and its topics")
    async def run() -> RunFacts:
        return served.facts

    @app.post(
        "/api/segment",
        summary="The same JSON as 'segtopic segment'",
        response_model=SegmentedText,
        response_model_exclude_unset=True,
        responses=PROBLEMS,
    )
    async def segment(asked: TextToSegment) -> dict[str, Any]:
        decisions = checked(asked)
        if asked.phrases == "marked":
            if asked.k_best > 1:
                raise HTTPException(
                    422, "marked phrases come from all segmentations; leave out k_best"
                )
            return await served.workshop.do(
                lambda: served.reader.mark(asked.text, decisions, asked.id)
            )
        return await served.workshop.do(
            lambda: served.reader.segment(asked.text, decisions, asked.k_best, asked.id)
        )

    @app.post(
        "/api/read",
        summary="Everything that the page shows of a text",
        response_model=ReadText,
        response_model_exclude_unset=True,
        responses=PROBLEMS,
    )
    async def read(asked: TextToRead) -> dict[str, Any]:
        decisions = checked(asked)
        reader = served.reader
        read_it = reader.read_phrases if asked.phrases == "marked" else reader.read_segments
        return await served.workshop.do(lambda: read_it(asked.text, decisions))


def _add_sentences(app: FastAPI) -> None:
    """Whatever goes wrong is told in one sentence; what was sent is not sent back."""

    def problem(status: int, sentence: str, **headers: str) -> JSONResponse:
        return JSONResponse({"detail": sentence}, status, headers)

    @app.exception_handler(RequestValidationError)
    async def wrong_field(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:3])[:100]
        return problem(422, f"{place}: {first['msg']}" if place else str(first["msg"]))

    @app.exception_handler(SegtopicError)
    async def impossible(_: Request, error: SegtopicError) -> JSONResponse:
        return problem(422, str(error))

    @app.exception_handler(Busy)
    async def busy(_: Request, error: Busy) -> JSONResponse:
        sentence = "too many texts are waiting; ask again in a second"
        return problem(503, sentence, **{"retry-after": "1"})
