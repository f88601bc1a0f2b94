"""The published document, and a reference to read and try it in. Every byte of that page comes from this service."""

import asyncio
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import msgspec
from litestar import Litestar, get
from litestar.params import FromPath

from service.errors import NotFound
from service.openapi import document
from service.operation import IF_NONE_MATCH, Operation, describes
from service.routes.content import Content, unchanging
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


def _written(app: Litestar) -> Content:
    return Content.of(msgspec.json.encode(document(app)), JSON)


@cache
def _page() -> Content:
    return Content.of((OURS / "docs.html").read_bytes(), "text/html; charset=utf-8")


@get(
    "/openapi.json",
    **describes(
        Operation(
            "getDocument",
            "Document",
            {200: dict, 304: None},
            parameters=(IF_NONE_MATCH,),
            answer_headers={"ETag": "Names this document; send it back as `If-None-Match`."},
        )
    ),
)
async def get_document(request: AnyRequest) -> Answer:
    """Read this document: OpenAPI 3.1, as JSON."""
    query(request)
    state = request.app.state
    if "document" not in state:
        state.document = await asyncio.to_thread(_written, request.app)
    return unchanging(request, state.document, PUBLIC)


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


HANDLERS = (get_document, docs, docs_asset, home)
