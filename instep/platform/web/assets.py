"""The files that browsers load: built by `make assets`, with names that change with their content."""

import json
import mimetypes
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.platform.core.errors import NotFound
from instep.platform.web.public import public

BUILT = Path(__file__).parent / "static" / "dist"
PATH = "/static/dist/"
MANIFEST = "manifest.json"
# RFC 9111 and RFC 8246: a name never gets other content, so a year is as good as forever.
IMMUTABLE = "public, max-age=31536000, immutable"
# The page that draws a diagram is alone in its frame, whatever an author wrote into the diagram.
FRAME_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
)
# Content codings in order of preference, and the extensions of such files.
CODINGS = {"br": ".br", "gzip": ".gz"}
MEDIA_TYPES = {
    ".js": "text/javascript",
    ".ts": "text/x.typescript",
    ".woff2": "font/woff2",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A built file, with its content in each content coding; `identity` is always among them."""

    media_type: str
    contents: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class InlineStyle:
    """A style sheet inside a page, which applies at once, without waiting for another file.

    `source` allows it in a Content-Security-Policy: `'sha256-…'` (CSP Level 3, section 2.3.1).
    """

    element: Markup
    source: str

    @classmethod
    def of(cls, style: str) -> "InlineStyle":
        digest = b64encode(sha256(style.encode()).digest()).decode()
        return cls(Markup("<style>{}</style>").format(Markup(style)), f"'sha256-{digest}'")


class UnknownAsset(LookupError):
    """A template names a file that is not built."""


@cache
def manifest() -> dict[str, str]:
    """The hashed file name of each name that templates use."""
    built = json.loads((BUILT / MANIFEST).read_text())
    return {name: entry["file"] for name, entry in built["assets"].items()}


@cache
def assets() -> dict[str, Asset]:
    """Everything that is built, by hashed file name."""
    return {file: read_asset(BUILT / file) for file in manifest().values()}


def read_asset(file: Path) -> Asset:
    contents = {"identity": file.read_bytes()}
    for coding, ending in CODINGS.items():
        compressed = file.with_name(file.name + ending)
        if compressed.exists():
            contents[coding] = compressed.read_bytes()
    media_type = MEDIA_TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0]
    return Asset(media_type or "application/octet-stream", contents)


def asset_path(name: str) -> str:
    """The URL path of a built file, for templates: `asset("site.js")`."""
    return PATH + hashed_name(name)


@cache
def built_style(name: str) -> InlineStyle:
    """A built style sheet to put inside a page: `built_style("site.css")`."""
    return InlineStyle.of(assets()[hashed_name(name)].contents["identity"].decode())


def hashed_name(name: str) -> str:
    try:
        return manifest()[name]
    except KeyError:
        raise UnknownAsset(f"{name} is not built; run `make assets`") from None


@cache
def icon(name: str, *, mirrored: bool = False) -> Markup:
    """An icon of the sprite, which screen readers skip: the text next to it says what it means.

    Icons that point along the line are `mirrored` in right-to-left text.
    """
    attributes = Markup(" data-mirrored" if mirrored else "")
    return Markup('<svg class="icon" aria-hidden="true"{}><use href="{}#{}"></use></svg>').format(
        attributes, asset_path("icons.svg"), name
    )


@public
async def show_asset(request: Request) -> Response:
    """A built file, in the smallest coding that the client accepts."""
    file = request.path_params["name"]
    if file not in assets():
        raise NotFound
    # Other sites load modules with CORS: the widget's panel.
    headers = {"Cache-Control": IMMUTABLE, "Access-Control-Allow-Origin": "*"}
    if file.endswith(".html"):
        headers["Content-Security-Policy"] = FRAME_POLICY
    if file == hashed_name("diagram.js"):
        # The frame that loads it has no origin.
        headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return built_response(request, file, headers)


def built_response(request: Request, file: str, headers: Mapping[str, str]) -> Response:
    """The response with this built file, which is among `assets()`."""
    asset = assets()[file]
    accepted = accepted_codings(request.headers.get("accept-encoding", ""))
    coding = next(
        (coding for coding in CODINGS if coding in asset.contents and coding in accepted), "identity"
    )
    fields = dict(headers)
    if len(asset.contents) > 1:
        fields["Vary"] = "Accept-Encoding"
    if coding != "identity":
        fields["Content-Encoding"] = coding
    return Response(asset.contents[coding], 200, fields, asset.media_type)


def accepted_codings(header: str) -> set[str]:
    """The content codings that an `Accept-Encoding` names and does not refuse (RFC 9110 section 12.5.3)."""
    codings = set()
    for item in header.lower().split(","):
        coding, _, weight = item.replace(" ", "").partition(";q=")
        if weight.strip("0.") or not weight:
            codings.add(coding)
    return codings


routes = [Route(PATH + "{name}", show_asset)]
