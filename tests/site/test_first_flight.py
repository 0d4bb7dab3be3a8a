"""What a browser must load before it shows an article fits the first round trip of a connection."""

import gzip
import re

from instep.web.assets import BUILT, PATH
from tests.site.pages import publish
from tests.support.cast import Api, Cast, Client
from tests.support.source_code import REPOSITORY

# Ten segments (RFC 6928), in bytes.
FIRST_FLIGHT_BYTES = 14 * 1024
STYLE_SHEET = re.compile(r'<link rel="stylesheet" href="([^"]+)"')


async def test_a_long_article_and_its_style_come_in_the_first_flight(api: Api, cast: Cast) -> None:
    """The page is counted as gzip makes it, which is a little larger than Brotli would."""
    client = api(cast.acme.write_key)
    text = (REPOSITORY / "docs" / "help" / "02-run-it" / "01-settings.md").read_text()
    await publish(client, "Settings", text.split("---\n", 2)[2])
    page = await client.get(f"/help/{cast.acme.slug}/articles/settings")

    style_sheets = STYLE_SHEET.findall(page.text)
    sizes = [await style_bytes(client, address) for address in style_sheets]
    assert sizes
    assert len(gzip.compress(page.content)) + sum(sizes) <= FIRST_FLIGHT_BYTES


async def style_bytes(client: Client, address: str) -> int:
    if address.startswith(PATH):
        return (BUILT / f"{address.removeprefix(PATH)}.br").stat().st_size
    return len(gzip.compress((await client.get(address)).content))
