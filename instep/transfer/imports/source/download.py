"""Downloads an archive through the outbound guard."""

import asyncio

from instep.platform.core import limits
from instep.platform.core.outbound.client import OutboundClient, RequestFailed
from instep.platform.core.outbound.requests import RawResponse, fetch
from instep.transfer.imports.tree.schemas import UnreadableSource
from instep.transfer.imports.tree.url_parts import joined_url

MOVED = {301, 302, 303, 307, 308}


async def download_archive(client: OutboundClient, url: str) -> bytes:
    """The bytes of an archive; the URL and all redirects are vetted. Raises `UnreadableSource`."""
    address = url
    for _ in range(limits.MAX_REDIRECT_HOPS):
        response = await get(client, address)
        if response.status in MOVED and response.headers.get("location"):
            next_address = joined_url(address, response.headers["location"])
            if next_address is None:
                raise UnreadableSource(
                    f"{url} redirects to an invalid URL: enter the URL of the archive itself."
                )
            address = next_address
            continue
        if response.status != 200:
            raise UnreadableSource(f"{url} responds with status {response.status}: check the URL.")
        return response.body
    raise UnreadableSource(f"{url} redirects too many times: enter the final URL.")


async def get(client: OutboundClient, url: str) -> RawResponse:
    try:
        async with asyncio.timeout(limits.IMPORT_FETCH_SECONDS):
            return await fetch(client, url, {"User-Agent": "instep"}, limits.MAX_IMPORT_DOWNLOAD_BYTES)
    except TimeoutError:
        raise UnreadableSource(
            f"{url} took longer than {limits.IMPORT_FETCH_SECONDS} seconds: download it and import the file."
        ) from None
    except RequestFailed as error:
        raise UnreadableSource(f"{url} can't be downloaded. {error.message}") from None
