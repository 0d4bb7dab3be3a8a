"""Everything a browser must load to show an article fits into a connection's first round trip."""

import gzip

from tests.support.cast import Api, Cast
from tests.support.site_pages import publish
from tests.support.source_code import REPOSITORY

# Ten segments (RFC 6928), in bytes.
FIRST_FLIGHT_BYTES = 14 * 1024


async def test_a_long_article_and_its_style_come_in_the_first_flight(api: Api, cast: Cast) -> None:
    """The page is measured with gzip, which is slightly larger than Brotli."""
    client = api(cast.acme.write_key)
    text = (REPOSITORY / "docs" / "help" / "02-run-it" / "01-settings.md").read_text()
    await publish(client, "Settings", text.split("---\n", 2)[2])
    page = await client.get(f"/help/{cast.acme.slug}/articles/settings")

    assert "<style>" in page.text
    assert 'rel="stylesheet"' not in page.text
    assert len(gzip.compress(page.content)) <= FIRST_FLIGHT_BYTES
