"""Rendered pages of this process, each valid as long as the state that it was made from."""

import gzip
from collections import OrderedDict
from dataclasses import dataclass
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from instep.core import limits
from instep.core.etags import etag_of, matches_any_etag
from instep.site.schemas import Arrival
from instep.web.assets import accepted_codings
from instep.web.compression import COMPRESSED_FROM_BYTES, COMPRESSION_LEVEL

# The address of a page, with its query.
Address = tuple[str, str]


@dataclass(slots=True)
class RenderedPage:
    """A page as bytes; `arrival` is the state of the help center that it shows.

    Every change of what is public has a later time stamp, and name, colour and language are told beside it.
    """

    arrival: Arrival
    html: bytes
    etag: str
    headers: dict[str, str]
    # Empty where it is no article.
    article_id: str
    compressed_html: bytes | None = None

    @property
    def size(self) -> int:
        return len(self.html) + len(self.compressed_html or b"")

    def respond(self, request: Request) -> Response:
        """The page, or 304 if the reader already has it."""
        headers = {**self.headers, "ETag": self.etag}
        if matches_any_etag(self.etag, request.headers.get("if-none-match", "")):
            return Response(status_code=304, headers=headers)
        accepted = accepted_codings(request.headers.get("accept-encoding", ""))
        if self.compressed_html is None or "gzip" not in accepted:
            return Response(self.html, 200, headers, "text/html")
        vary = [headers["Vary"]] if "Vary" in headers else []
        headers |= {"Content-Encoding": "gzip", "Vary": ", ".join([*vary, "Accept-Encoding"])}
        return Response(self.compressed_html, 200, headers, "text/html")


class PageCache:
    """The pages that were read last, the most recent last, up to a number of bytes."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self.pages: OrderedDict[Address, RenderedPage] = OrderedDict()

    def holds(self, request: Request) -> bool:
        """Whether there is a page at the address of a request, perhaps one that nobody may see any more."""
        return address_of(request) in self.pages and is_for_everybody(request)

    def find(self, request: Request, arrival: Arrival) -> RenderedPage | None:
        """The page at the address of a request, if it still shows what is public."""
        address = address_of(request)
        page = self.pages.get(address)
        if page is None or not is_for_everybody(request):
            return None
        if page.arrival != arrival:
            self.remove(address)
            return None
        self.pages.move_to_end(address)
        return page

    def add(
        self, request: Request, arrival: Arrival, html: bytes, headers: dict[str, str], article_id: str = ""
    ) -> RenderedPage:
        """Keep a page that everybody may see."""
        page = RenderedPage(arrival, html, etag_of(html), headers, article_id)
        if is_for_everybody(request) and len(html) <= limits.MAX_CACHED_PAGE_BYTES:
            if len(html) >= COMPRESSED_FROM_BYTES:
                page.compressed_html = gzip.compress(html, COMPRESSION_LEVEL, mtime=0)
            address = address_of(request)
            self.remove(address)
            self.pages[address] = page
            self.bytes += page.size
            while self.bytes > self.max_bytes:
                self.remove(next(iter(self.pages)))
        return page

    def forget(self, bot_id: UUID) -> None:
        """Drop the pages of a help center."""
        addresses = [address for address, page in self.pages.items() if page.arrival.bot_id == bot_id]
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
    return is_known and "cookie" not in request.headers and "authorization" not in request.headers
