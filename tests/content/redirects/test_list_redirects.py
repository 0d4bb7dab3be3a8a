"""GET /v1/redirects."""

import pytest

from tests.support.cast import Api, Cast
from tests.support.former_links import REDIRECTS, redirect
from tests.support.http import all_pages, ok, pages


@pytest.mark.parametrize("size", [1, 2, 100])
async def test_rows_that_stay_are_seen_once_newest_first(api: Api, cast: Cast, size: int) -> None:
    client = api(cast.acme.write_key)
    rows = [await redirect(client, f"/{number}") for number in range(6)]
    await redirect(api(cast.globex.write_key), "/theirs")

    seen: list[str] = []
    async for page in pages(client, REDIRECTS, page_size=size):
        if not seen:
            ok(await client.delete(f"{REDIRECTS}/{rows[2]['id']}"))
            await redirect(client, "/new")
        seen += [row["id"] for row in page]

    stayed = [row["id"] for row in reversed(rows) if row is not rows[2]]
    assert [ref for ref in seen if ref in stayed] == stayed


async def test_another_bot_has_its_own(api: Api, cast: Cast) -> None:
    await redirect(api(cast.acme.write_key), "/old")

    second = {"bot_id": str(cast.second_bot_id)}
    assert await all_pages(api(cast.wide_key), REDIRECTS, **second) == []
