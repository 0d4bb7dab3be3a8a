"""Chooses the representation of a page: HTML for people, Markdown for programs that read."""

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site.xml import as_uri
from instep.platform.web.accepted import accepted_qualities
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
    qualities = accepted_qualities(request)
    markdown = max(qualities.get(name, 0) for name in MARKDOWN)
    return markdown > 0 and markdown >= max(qualities.get(name, 0) for name in HTML)


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
