"""Rendered pages of this process, each valid as long as its state is current."""

import gzip
from dataclasses import dataclass
from operator import attrgetter
from uuid import UUID

from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site.schemas import SiteState
from instep.interfaces.site.versioned_addresses import requested_version
from instep.platform.core import limits
from instep.platform.core.etags import matches_any_etag
from instep.platform.web.assets import accepted_codings
from instep.platform.web.compression import COMPRESSED_FROM_BYTES, COMPRESSION_LEVEL

# The path of a page, its query, and the product version in its address.
Address = tuple[str, str, str | None]
CREDENTIALS = {b"cookie", b"authorization"}


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page in all forms that readers get; `state` is that of its help center.

    Several requests share the responses, so they must not be changed.
    """

    state: SiteState
    # The name of the help center in the path, and the route.
    slug: str
    endpoint: object
    # Empty unless it is an article.
    article_id: str
    etag: str
    whole: Response
    # None for a page that is too small to be compressed.
    compressed: Response | None
    # The response (304) to browsers that already have the page.
    unchanged: Response

    @property
    def size(self) -> int:
        return len(self.whole.body) + (len(self.compressed.body) if self.compressed else 0)

    def response_to(self, request: Request) -> Response:
        if has_already(request, self.etag):
            return self.unchanged
        accepted = accepted_codings(request.headers.get("accept-encoding", ""))
        return self.compressed if self.compressed and "gzip" in accepted else self.whole


def first_response(request: Request, html: bytes, headers: dict[str, str]) -> Response:
    """The response for the request that rendered the page; it is not shared, and compressed on its way."""
    if has_already(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return html_response(html, headers)


def rendered_page(
    request: Request, state: SiteState, html: bytes, headers: dict[str, str], article_id: str
) -> RenderedPage:
    compressed = None
    if len(html) >= COMPRESSED_FROM_BYTES:
        varying = [headers["Vary"]] if "Vary" in headers else []
        headers = {**headers, "Vary": ", ".join([*varying, "Accept-Encoding"])}
        body = gzip.compress(html, COMPRESSION_LEVEL, mtime=0)
        compressed = html_response(body, {**headers, "Content-Encoding": "gzip"})
    return RenderedPage(
        state,
        request.scope["path_params"]["bot"],
        request.scope["endpoint"],
        article_id,
        headers["ETag"],
        html_response(html, headers),
        compressed,
        Response(status_code=304, headers=headers),
    )


def html_response(body: bytes, headers: dict[str, str]) -> Response:
    return Response(body, 200, headers, "text/html")


def has_already(request: Request, etag: str) -> bool:
    """True if a reader already has the page with this tag."""
    return matches_any_etag(etag, request.headers.get("if-none-match", ""))


class PageCache:
    """The most recently read pages, the most recent last, up to a number of bytes."""

    def __init__(self, max_bytes: int) -> None:
        self.pages: LRUCache[Address, RenderedPage] = LRUCache(max_bytes, getsizeof=attrgetter("size"))

    def find(self, request: Request) -> RenderedPage | None:
        """The page at a request's URL, which may no longer be visible to anyone."""
        page = self.pages.get(address_of(request))
        return page if page is not None and is_for_everybody(request) else None

    def find_current(self, request: Request, state: SiteState) -> RenderedPage | None:
        """The page at a request's URL, if it shows this state; an outdated one is dropped."""
        page = self.find(request)
        if page is None or page.state == state:
            return page
        del self.pages[address_of(request)]
        return None

    def keep(
        self, request: Request, state: SiteState, html: bytes, headers: dict[str, str], article_id: str = ""
    ) -> None:
        """Cache a page that was rendered for a request, if everyone may see it."""
        if not is_for_everybody(request) or len(html) > limits.MAX_CACHED_PAGE_BYTES:
            return
        self.pages[address_of(request)] = rendered_page(request, state, html, headers, article_id)

    def forget(self, bot_id: UUID) -> None:
        """Drop the pages of a help center."""
        addresses = [address for address, page in self.pages.items() if page.state.bot_id == bot_id]
        for address in addresses:
            del self.pages[address]


page_cache = PageCache(limits.MAX_PAGE_CACHE_BYTES)


def address_of(request: Request) -> Address:
    query = request.scope["query_string"].decode("latin-1")
    return request.scope["path"], query, requested_version(request)


def is_for_everybody(request: Request) -> bool:
    """True if the response is the same for everyone: nobody is signed in, and the query is known.

    Only a page number is known: other queries would fill the cache with copies of the same page.
    """
    query = request.scope["query_string"]
    is_known = not query or (query.startswith(b"page=") and len(query) <= limits.MAX_CACHED_QUERY_BYTES)
    return is_known and not any(name in CREDENTIALS for name, _ in request.scope["headers"])
