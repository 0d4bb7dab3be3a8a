"""Rendered pages of this process, each valid as long as the state that it was made from."""

import gzip
from collections import OrderedDict
from dataclasses import dataclass
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from instep.core import limits
from instep.core.etags import etag_of, matches_any_etag
from instep.site.schemas import SiteState
from instep.web.assets import accepted_codings
from instep.web.compression import COMPRESSED_FROM_BYTES, COMPRESSION_LEVEL

# The address of a page, with its query.
Address = tuple[str, str]
CREDENTIALS = {b"cookie", b"authorization"}


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page in all forms that readers get; `state` is that of the help center that it shows."""

    state: SiteState
    # The name of the help center in the address, and what answers there.
    slug: str
    endpoint: object
    # Empty where it is no article.
    article_id: str
    etag: str
    whole: Response
    # For readers who have the page already: 304.
    unchanged: Response
    # None where it would not be smaller.
    compressed: Response | None

    @property
    def size(self) -> int:
        return len(self.whole.body) + (len(self.compressed.body) if self.compressed else 0)

    def response_to(self, request: Request) -> Response:
        if matches_any_etag(self.etag, request.headers.get("if-none-match", "")):
            return self.unchanged
        accepted = accepted_codings(request.headers.get("accept-encoding", ""))
        return self.compressed if self.compressed and "gzip" in accepted else self.whole


def render(
    request: Request, state: SiteState, html: bytes, headers: dict[str, str], article_id: str
) -> RenderedPage:
    """The page that a request got first."""
    scope, etag = request.scope, etag_of(html)
    headers = {**headers, "ETag": etag}
    compressed = None
    if len(html) >= COMPRESSED_FROM_BYTES:
        vary = ", ".join([headers["Vary"], "Accept-Encoding"] if "Vary" in headers else ["Accept-Encoding"])
        body = gzip.compress(html, COMPRESSION_LEVEL, mtime=0)
        compressed = html_response(body, {**headers, "Content-Encoding": "gzip", "Vary": vary})
    return RenderedPage(
        state,
        scope["path_params"]["bot"],
        scope["endpoint"],
        article_id,
        etag,
        html_response(html, headers),
        Response(status_code=304, headers=headers),
        compressed,
    )


def html_response(body: bytes, headers: dict[str, str]) -> Response:
    return Response(body, 200, headers, "text/html")


class PageCache:
    """The pages that were read last, the most recent last, up to a number of bytes."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self.pages: OrderedDict[Address, RenderedPage] = OrderedDict()

    def find(self, request: Request) -> RenderedPage | None:
        """The page at the address of a request, perhaps one that nobody may see any more."""
        page = self.pages.get(address_of(request))
        return page if page is not None and is_for_everybody(request) else None

    def renew(self, request: Request, page: RenderedPage, state: SiteState) -> bool:
        """Whether a page still shows what is public; one that does not is dropped."""
        address = address_of(request)
        if page.state != state:
            self.remove(address)
            return False
        if address in self.pages:
            self.pages.move_to_end(address)
        return True

    def add(
        self, request: Request, state: SiteState, html: bytes, headers: dict[str, str], article_id: str = ""
    ) -> RenderedPage:
        """Keep a page that everybody may see."""
        page = render(request, state, html, headers, article_id)
        if is_for_everybody(request) and len(html) <= limits.MAX_CACHED_PAGE_BYTES:
            address = address_of(request)
            self.remove(address)
            self.pages[address] = page
            self.bytes += page.size
            while self.bytes > self.max_bytes:
                self.remove(next(iter(self.pages)))
        return page

    def forget(self, bot_id: UUID) -> None:
        """Drop the pages of a help center."""
        addresses = [address for address, page in self.pages.items() if page.state.bot_id == bot_id]
        for address in addresses:
            self.remove(address)

    def remove(self, address: Address) -> None:
        page = self.pages.pop(address, None)
        if page is not None:
            self.bytes -= page.size


page_cache = PageCache(limits.MAX_PAGE_CACHE_BYTES)


def address_of(request: Request) -> Address:
    return request.scope["path"], request.scope["query_string"].decode("latin-1")


def is_for_everybody(request: Request) -> bool:
    """Whether a request comes from nobody in particular; somebody who is signed in may see more.

    Of the queries only that of a page's number is known: others would fill the cache with the same page.
    """
    query = request.scope["query_string"]
    is_known = not query or (query.startswith(b"page=") and len(query) <= limits.MAX_CACHED_QUERY_BYTES)
    return is_known and not any(name in CREDENTIALS for name, _ in request.scope["headers"])
