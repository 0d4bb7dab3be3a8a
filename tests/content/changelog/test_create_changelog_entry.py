"""POST /v1/changelog/entries."""

import re
from typing import Any

import pytest

from tests.support.cast import Cast, Client
from tests.support.changelog_entries import ENTRIES, create_entry
from tests.support.http import ID, TIMESTAMP, all_pages, at_once, created, error, named_fields, ok


async def test_a_new_entry_is_a_draft_with_every_field(client: Client, cast: Cast) -> None:
    body = {"title": "Exports as CSV", "contentMarkdown": "Choose *CSV*.\r\n"}

    entry = created(await client.post(ENTRIES, json=body))

    assert re.fullmatch("chg" + ID, entry.pop("id"))
    assert TIMESTAMP.fullmatch(entry["createdAt"])
    assert entry.pop("updatedAt") == entry.pop("createdAt")
    assert entry == {
        **body,
        "slug": "exports-as-csv",
        "status": "draft",
        "sourceUrl": None,
        "url": None,
        "botId": str(cast.acme.bot_id),
        "publishedAt": None,
    }


async def test_the_source_is_kept_and_an_empty_one_is_none(client: Client) -> None:
    entry = await create_entry(client, sourceUrl="https://git.test/pull/1")

    assert entry["sourceUrl"] == "https://git.test/pull/1"
    assert ok(await client.get(f"{ENTRIES}/{entry['id']}")) == entry
    assert (await create_entry(client, sourceUrl=""))["sourceUrl"] is None


async def test_a_new_entry_is_not_on_the_site(client: Client, visitor: Client, cast: Cast) -> None:
    await create_entry(client)

    assert (await visitor.get(f"/help/{cast.acme.slug}/changelog/exports-as-csv")).status_code == 404


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", None),
        ("title", ""),
        ("title", " \n\t"),
        ("title", "x" * 201),
        ("title", 5),
        ("title", "a\0b"),
        ("contentMarkdown", None),
        ("contentMarkdown", 5),
        ("contentMarkdown", "a\0b"),
        ("contentMarkdown", "x" * 1_000_001),
        ("sourceUrl", None),
        ("sourceUrl", 5),
        ("sourceUrl", "a\0b"),
        ("sourceUrl", "https://git.test/" + "x" * 2_000),
        ("slug", "exports"),
        ("status", "published"),
        ("publishedAt", "2026-01-01T00:00:00Z"),
        ("id", "chg_01k0000000000000000000000a"),
        ("content_markdown", "x"),
    ],
)
async def test_a_bad_value_is_refused_by_name(client: Client, field: str, value: Any) -> None:
    body = {"title": "Exports", "contentMarkdown": "Now.", field: value}

    assert named_fields(await client.post(ENTRIES, json=body)) == [field]
    assert await all_pages(client, ENTRIES) == []


@pytest.mark.parametrize("missing", ["title", "contentMarkdown"])
async def test_title_and_text_are_required(client: Client, missing: str) -> None:
    body = {"title": "Exports", "contentMarkdown": "Now."}
    del body[missing]

    assert named_fields(await client.post(ENTRIES, json=body)) == [missing]


async def test_a_lone_surrogate_is_refused(client: Client) -> None:
    body = b'{"title": "\\ud800", "contentMarkdown": "Now."}'
    headers = {"Content-Type": "application/json"}

    refusal = await client.post(ENTRIES, content=body, headers=headers)

    assert error(refusal) == (400, "invalid_request")


async def test_text_and_title_may_be_as_long_as_an_articles(client: Client) -> None:
    entry = await create_entry(client, "語" * 200, contentMarkdown="x" * 1_000_000)

    assert (len(entry["title"]), entry["slug"], len(entry["contentMarkdown"])) == (200, "語" * 120, 1_000_000)


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Größer: 2 neue Wege", "größer-2-neue-wege"),
        ("!!!", "entry"),
        ("Search", "search-2"),
        ("chg_01k0000000000000000000000a", "chg-01k0000000000000000000000a"),
        ("0190163d-8694-739b-aea5-966c26f8ad91", "0190163d-8694-739b-aea5-966c26f8ad91-2"),
    ],
)
async def test_the_slug_is_made_from_the_title(client: Client, title: str, slug: str) -> None:
    entry = await create_entry(client, title)

    assert entry["slug"] == slug
    assert ok(await client.get(f"{ENTRIES}/{slug}")) == entry


async def test_slugs_of_equal_titles_are_numbered(client: Client, globex: Client) -> None:
    slugs = [(await create_entry(client, "Fixes"))["slug"] for _ in range(3)]

    assert slugs == ["fixes", "fixes-2", "fixes-3"]
    assert (await create_entry(globex, "Fixes"))["slug"] == "fixes"


async def test_twenty_of_one_title_at_once_get_twenty_slugs(client: Client) -> None:
    entries = await at_once(20, lambda _: create_entry(client, "Fixes"))

    expected = {"fixes"} | {f"fixes-{number}" for number in range(2, 21)}
    assert {entry["slug"] for entry in entries} == expected


async def test_a_text_that_takes_too_long_to_render_is_refused_by_name(client: Client) -> None:
    body = {"title": "Deep", "contentMarkdown": ">" * 200_000}

    assert named_fields(await client.post(ENTRIES, json=body)) == ["contentMarkdown"]
