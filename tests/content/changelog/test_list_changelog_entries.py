"""GET /v1/changelog/entries."""

from typing import Any

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Cast, Client
from tests.support.changelog_entries import ENTRIES, archive, create_entry, publish_entry
from tests.support.http import all_pages, error, named_fields, ok, pages


async def test_the_newest_comes_first_with_its_text(client: Client, globex: Client) -> None:
    first, second = await create_entry(client, "First"), await create_entry(client, "Second")
    await create_entry(globex, "Theirs")

    assert ok(await client.get(ENTRIES)) == {
        "results": [second, first],
        "has_more": False,
        "next_cursor": None,
    }


async def test_changes_do_not_move_an_entry(client: Client) -> None:
    for title in ("First", "Second"):
        await create_entry(client, title)
    await client.patch(f"{ENTRIES}/first", json={"title": "Changed"})
    await client.post(f"{ENTRIES}/first/publish")

    assert [row["title"] for row in await all_pages(client, ENTRIES)] == ["Second", "Changed"]


async def test_html_takes_the_place_of_markdown(client: Client) -> None:
    await create_entry(client, contentMarkdown="*now*")

    [entry] = await all_pages(client, ENTRIES, format="html")

    assert entry["contentHtml"] == "<p><em>now</em></p>\n"
    assert "contentMarkdown" not in entry


async def test_the_status_keeps_what_it_names(client: Client, owner: Tx) -> None:
    await archive(owner, await publish_entry(client, "Old"))
    await publish_entry(client, "Live")
    await create_entry(client, "Draft")

    async def titles(**params: Any) -> list[str]:
        return [row["title"] for row in await all_pages(client, ENTRIES, **params)]

    assert await titles() == await titles(status="all") == ["Draft", "Live", "Old"]
    assert await titles(status="draft") == ["Draft"]
    assert await titles(status="published") == ["Live"]
    assert await titles(status="archived") == ["Old"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("status", "in_review"), ("status", ""), ("format", "pdf"), ("page_size", "0"), ("page_size", "101")],
)
async def test_a_bad_parameter_is_refused_by_name(reader: Client, name: str, value: str) -> None:
    assert named_fields(await reader.get(ENTRIES, params={name: value})) == [name]


@pytest.mark.parametrize("size", [1, 2, 100])
async def test_rows_that_stay_are_seen_once_in_order_while_others_change(client: Client, size: int) -> None:
    ids = [(await create_entry(client, f"No {number}"))["id"] for number in range(8)]
    listed_ids: list[str] = []

    number = 0
    async for page in pages(client, ENTRIES, page_size=size):
        listed_ids += [row["id"] for row in page]
        await create_entry(client, f"New {number}")
        ok(await client.patch(f"{ENTRIES}/{ids[number]}", json={"title": f"Changed {number}"}))
        number += 1

    assert listed_ids == ids[::-1]


async def test_a_cursor_belongs_to_its_list_filter_and_bot(wide: Client, cast: Cast) -> None:
    bot, second = {"bot_id": str(cast.acme.bot_id)}, {"bot_id": str(cast.second_bot_id)}
    for title in ("One", "Two"):
        await wide.post(ENTRIES, json={"title": title, "contentMarkdown": ""}, params=bot)
    cursor = ok(await wide.get(ENTRIES, params={**bot, "page_size": 1}))["next_cursor"]

    for path, params in (
        (ENTRIES, second),
        (ENTRIES, {**bot, "status": "draft"}),
        ("/v1/articles", bot),
    ):
        refusal = await wide.get(path, params={**params, "start_cursor": cursor})
        assert error(refusal) == (400, "invalid_cursor")
    altered = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
    refusal = await wide.get(ENTRIES, params={**bot, "start_cursor": altered})
    assert error(refusal) == (400, "invalid_cursor")
    again = ok(await wide.get(ENTRIES, params={**bot, "start_cursor": cursor, "format": "html"}))
    assert [row["title"] for row in again["results"]] == ["One"]
