"""Chooses the representation of a page: HTML for people, Markdown for programs that read."""

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site.xml import as_uri
from instep.platform.web.pages import document

MARKDOWN = ("text/markdown", "text/plain")
HTML = ("text/html", "application/xhtml+xml")
MARKDOWN_TYPE = "text/markdown; charset=utf-8"
EXTENSION = ".md"
# Tells caches that another client may get another representation (RFC 9110, section 12.5.5).
VARY = {"Vary": "Accept"}
NOINDEX = {"X-Robots-Tag": "noindex"}


def prefers_markdown(request: Request) -> bool:
    """True if `Accept` (RFC 9110, section 12.5.1) asks for Markdown at least as much as for HTML.

    Wildcards alone mean HTML, for browsers and simple programs.
    """
    accepted = ",".join(request.headers.getlist("accept")).lower()
    if not any(name in accepted for name in MARKDOWN):
        return False
    qualities = accepted_qualities(accepted)
    markdown = max(qualities.get(name, 0) for name in MARKDOWN)
    return markdown > 0 and markdown >= max(qualities.get(name, 0) for name in HTML)


def accepted_qualities(header: str) -> dict[str, float]:
    """The quality (0 to 1) of each media type in an `Accept` header; an invalid one is 0."""
    qualities = {}
    for media_range in header.split(","):
        name, *parameters = (part.strip().lower() for part in media_range.split(";"))
        weights = [parameter[2:] for parameter in parameters if parameter.startswith("q=")]
        qualities[name] = quality_of(weights[0]) if weights else 1.0
    return qualities


def quality_of(weight: str) -> float:
    try:
        quality = float(weight)
    except ValueError:
        return 0
    return quality if 0 <= quality <= 1 else 0


def markdown_document(request: Request, text: str, url: str, index_url: str) -> Response:
    """The Markdown of the page at `url`, with headers for its own URL, the page, and the index of all texts.

    Search engines list the page and not its Markdown.
    """
    page = document(request, text.encode(), MARKDOWN_TYPE)
    page.headers["Content-Location"] = as_uri(url + EXTENSION)
    page.headers["Link"] = f'<{as_uri(url)}>; rel="canonical", <{as_uri(index_url)}>; rel="describedby"'
    page.headers.update(VARY)
    if request.url.path.endswith(EXTENSION):
        page.headers.update(NOINDEX)
    return page
