"""The published document, and a reference to read and try it in. Every byte of that page comes from this service."""

import asyncio
from functools import cache
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path
from typing import Any

from litestar import get
from litestar.params import FromPath

from service.errors import NotFound
from service.operation import IF_NONE_MATCH, Operation, describes
from service.routes.content import UNCHANGING, Content, unchanging
from service.routes.http import JSON, PUBLIC, Answer, AnyRequest, query

CARRIER = "flask-swagger-ui"
"""The distribution that brings Swagger UI's files. Only they are used: nothing of it, or of Flask, is imported."""

OURS = Path(__file__).parents[1] / "web"
THEIRS = Path(str(distribution(CARRIER).locate_file("flask_swagger_ui/dist")))

JAVASCRIPT = "text/javascript; charset=utf-8"
STYLE = "text/css; charset=utf-8"
ASSETS = {
    "docs.js": (OURS, JAVASCRIPT),
    "reference.js": (OURS, JAVASCRIPT),
    "panel.js": (OURS, JAVASCRIPT),
    "requests.js": (OURS, JAVASCRIPT),
    "cards.js": (OURS, JAVASCRIPT),
    "docs.css": (OURS, STYLE),
    "first-game.json": (OURS, JSON),
    "swagger-ui-bundle.js": (THEIRS, JAVASCRIPT),
    "swagger-ui.css": (THEIRS, STYLE),
    "favicon-32x32.png": (THEIRS, "image/png"),
}
"""Everything that the page loads, and all that is ever served from these folders."""

SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",  # the style sheet holds its pictures
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
PAGE = {
    "Content-Security-Policy": SECURITY_POLICY,
    "Cache-Control": "no-cache",
}
ASSET = {"Cache-Control": "public, max-age=3600"}


@cache
def _asset(name: str) -> Content:
    folder, media = ASSETS[name]
    return Content.of((folder / name).read_bytes(), media)


@cache
def _document(name: str) -> Content:
    """A form of the document, as `make spec` has written it: a test holds it against the code."""
    return Content.of((files("openapi") / name).read_bytes(), JSON)


@cache
def _page() -> Content:
    return Content.of((OURS / "docs.html").read_bytes(), "text/html; charset=utf-8")


def _form(name: str) -> dict[str, Any]:
    """What ties a form of the document to its handler."""
    answers = {200: dict, 304: None}
    return describes(Operation(name, "Document", answers, parameters=(IF_NONE_MATCH,), answer_headers=UNCHANGING))


@get("/openapi.json", **_form("getDocument"))
async def get_document(request: AnyRequest) -> Answer:
    """Read this document: OpenAPI 3.1, as JSON.

    It holds everything that a client needs to know: every operation with its answers, errors and recorded examples.
    """
    query(request)
    return unchanging(request, await asyncio.to_thread(_document, "openapi.json"), PUBLIC)


@get("/openapi-3.0.json", **_form("getOlderDocument"))
async def get_older_document(request: AnyRequest) -> Answer:
    """Read this document as OpenAPI 3.0.3, for generators that read nothing newer.

    What 3.0 cannot say is left out, such as which codes a status may have; prefer `/openapi.json` where you can.
    """
    query(request)
    return unchanging(request, await asyncio.to_thread(_document, "openapi-3.0.json"), PUBLIC)


@get("/docs", opt={"page": True})
async def docs(request: AnyRequest) -> Answer:
    """Show the reference."""
    return unchanging(request, _page(), PAGE)


@get("/docs/{name:str}", opt={"page": True})
async def docs_asset(request: AnyRequest, name: FromPath[str]) -> Answer:
    """Answer with a file that the reference loads."""
    if name not in ASSETS:
        raise NotFound("The reference has no such file.")
    # Zipping the largest takes long enough for a move to wait, once.
    return unchanging(request, await asyncio.to_thread(_asset, name), ASSET)


@get("/", opt={"page": True})
async def home() -> Answer:
    """Lead whoever types the bare address to the reference."""
    return Answer(b"", 307, "text/html; charset=utf-8", {"Location": "/docs"})


HANDLERS = (get_document, get_older_document, docs, docs_asset, home)
