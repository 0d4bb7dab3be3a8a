"""Images and downloads, for readers of the texts that refer to them."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from instep.content.files.kinds import BY_EXTENSION, SVG
from instep.content.files.schemas import StoredFile
from instep.content.files.storage import ObjectMissing, Storages
from instep.interfaces.site import queries
from instep.interfaces.site.rendering import content_addressed_headers
from instep.interfaces.site.schemas import ServedFile
from instep.interfaces.site.visits import Visit, help_center
from instep.platform.core.errors import AppError, NotFound
from instep.platform.core.etags import matches_any_etag
from instep.platform.identity.schemas import Bot
from instep.platform.web.public import public
from instep.platform.web.signed_in import current_person
from instep.platform.web.visitors.cors import answer_preflight
from instep.visitors.answers.visitor_tokens import proven_claims

# A single range; a request for several gets the whole file, as section 14.2 allows.
BYTE_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
FILE_NAME = re.compile(r"([0-9a-f]{64})\.([a-z0-9]{3,4})")
# Only some may see the file, and not forever: the browser asks each time, and a 304 needs the same rights.
PRIVATE = {"Cache-Control": "private, no-cache"}
# However a browser interprets a file, nothing in it runs or loads anything.
FILE_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"
# The styles within a logo may color its shapes.
SVG_POLICY = f"{FILE_POLICY}; style-src 'unsafe-inline'"


class RangeNotSatisfiable(AppError):
    """The file has no bytes in this range."""

    status = 416


@dataclass(frozen=True, slots=True)
class ByteRange:
    """The bytes from `start` up to `end` (exclusive), of `length` (RFC 9110, section 14)."""

    start: int
    end: int
    length: int

    @property
    def is_whole(self) -> bool:
        return (self.start, self.end) == (0, self.length)

    @property
    def content_range(self) -> str:
        return f"bytes {self.start}-{self.end - 1}/{self.length}"


def requested_range(header: str | None, length: int) -> ByteRange:
    """The requested range; the whole file without one, or if its form is not supported.

    Raises `RangeNotSatisfiable` (416) for a range after the end.
    """
    match = BYTE_RANGE.fullmatch(header.replace(" ", "")) if header else None
    if match is None or match.groups() == ("", ""):
        return ByteRange(0, length, length)
    first, last = match.groups()
    if not first:
        start, end = max(length - int(last), 0), length
    else:
        start, end = int(first), min(int(last) + 1, length) if last else length
        if last and int(last) < start:
            return ByteRange(0, length, length)
    if start >= end:
        raise RangeNotSatisfiable(headers={"Content-Range": f"bytes */{length}"})
    return ByteRange(start, end, length)


@public
async def show_file(request: Request) -> Response:
    """Serve a file with validators and byte ranges (RFC 9110, sections 13 and 14)."""
    name = FILE_NAME.fullmatch(request.path_params["name"])
    kind = BY_EXTENSION.get(name[2]) if name else None
    if name is None or kind is None:
        raise NotFound
    if request.method == "OPTIONS":
        return await answer_preflight(request, {"GET", "HEAD", "OPTIONS"})
    async with help_center(request, recognise=True) as visit:
        bot = visit.ctx.bot
        served = await queries.find_file(visit.ctx, name[1], kind.content_type)
        is_reader = served is not None and await is_for(visit, served)
    if served is None or not (is_reader or await is_member(request, bot)):
        raise NotFound
    headers = headers_of(bot, served)
    if matches_any_etag(headers["ETag"], request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers=headers)
    part = requested_range(range_header(request, headers["ETag"]), served.file.bytes)
    headers |= {"Content-Length": str(part.end - part.start)}
    if not part.is_whole:
        headers |= {"Content-Range": part.content_range}
    status = 200 if part.is_whole else 206
    if request.method == "HEAD":
        return Response(status_code=status, headers=headers)
    content = await begun(content_of(request.app.state.storages, bot, served.file, part))
    return StreamingResponse(content, status, headers)


async def is_for(visit: Visit, served: ServedFile) -> bool:
    """True if the visitor may read a text that refers to the file.

    The widget proves its signed-in visitors with `Visitor-Token`, as when it reads the text.
    """
    if served.is_public or served.audience != "authenticated":
        return served.is_public
    token = visit.request.headers.get("visitor-token")
    return visit.is_signed_in or (token is not None and await proven_claims(visit.ctx, token) is not None)


async def is_member(request: Request, bot: Bot) -> bool:
    """True if the request is from a signed-in member of the bot's workspace."""
    person = await current_person(request)
    return person is not None and person.workspace_id == bot.workspace_id


def headers_of(bot: Bot, served: ServedFile) -> dict[str, str]:
    file = served.file
    headers = {
        "ETag": f'"{file.sha256}"',
        "Content-Type": file.kind.served_type,
        "Accept-Ranges": "bytes",
        "Content-Security-Policy": SVG_POLICY if file.kind == SVG else FILE_POLICY,
        # The widget shows images on other sites' pages, where sign-ins don't count.
        "Access-Control-Allow-Origin": "*",
        **(content_addressed_headers(bot) if served.is_public else PRIVATE),
    }
    if not file.kind.is_picture:
        # RFC 6266, with the name in UTF-8 as RFC 8187 spells it.
        headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(file.download_name, safe='')}"
    return headers


def range_header(request: Request, etag: str) -> str | None:
    """The header `Range`, unless `If-Range` names another state (RFC 9110, section 13.1.5)."""
    condition = request.headers.get("if-range")
    return request.headers.get("range") if condition in (None, etag) else None


async def content_of(storages: Storages, bot: Bot, file: StoredFile, part: ByteRange) -> AsyncIterator[bytes]:
    pieces = storages.at(file.location).read(bot.workspace_id, file.object_key, part.start, part.end)
    async for piece in pieces:
        yield piece


async def begun(content: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same content with its first piece already read: a missing object is 404, not half a response."""
    try:
        first = await anext(content, b"")
    except ObjectMissing:
        raise NotFound from None

    async def pieces() -> AsyncIterator[bytes]:
        yield first
        async for piece in content:
            yield piece

    return pieces()
