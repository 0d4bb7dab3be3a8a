"""POST /v1/changelog/entries."""

import re
from typing import Any

import pytest

from tests.changelog.entries import ENTRIES, create_entry
from tests.support.cast import Api, Cast
from tests.support.http import ID, TIMESTAMP, all_pages, at_once, created, error, named_fields, ok


async def test_a_new_entry_is_a_draft_with_every_field(api: Api, cast: Cast) -> None:
    body = {"title": "Exports as CSV", "contentMarkdown": "Choose *CSV*.\r\n"}

    entry = created(await api(cast.acme.write_key).post(ENTRIES, json=body))

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


async def test_the_source_is_kept_and_an_empty_one_is_none(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)

    entry = await create_entry(client, sourceUrl="https://git.test/pull/1")

    assert entry["sourceUrl"] == "https://git.test/pull/1"
    assert ok(await client.get(f"{ENTRIES}/{entry['id']}")) == entry
    assert (await create_entry(client, sourceUrl=""))["sourceUrl"] is None


async def test_a_new_entry_is_not_on_the_site(api: Api, cast: Cast) -> None:
    await create_entry(api(cast.acme.write_key))

    assert (await api(None).get(f"/help/{cast.acme.slug}/changelog/exports-as-csv")).status_code == 404


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
async def test_a_bad_value_is_refused_by_name(api: Api, cast: Cast, field: str, value: Any) -> None:
    client = api(cast.acme.write_key)
    body = {"title": "Exports", "contentMarkdown": "Now.", field: value}

    assert named_fields(await client.post(ENTRIES, json=body)) == [field]
    assert await all_pages(client, ENTRIES) == []


@pytest.mark.parametrize("missing", ["title", "contentMarkdown"])
async def test_title_and_text_are_required(api: Api, cast: Cast, missing: str) -> None:
    body = {"title": "Exports", "contentMarkdown": "Now."}
    del body[missing]

    assert named_fields(await api(cast.acme.write_key).post(ENTRIES, json=body)) == [missing]


async def test_a_lone_surrogate_is_refused(api: Api, cast: Cast) -> None:
    body = b'{"title": "\\ud800", "contentMarkdown": "Now."}'
    headers = {"Content-Type": "application/json"}

    refused = await api(cast.acme.write_key).post(ENTRIES, content=body, headers=headers)

    assert error(refused) == (400, "invalid_request")


async def test_text_and_title_may_be_as_long_as_an_articles(api: Api, cast: Cast) -> None:
    entry = await create_entry(api(cast.acme.write_key), "語" * 200, contentMarkdown="x" * 1_000_000)

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
async def test_the_slug_is_made_from_the_title(api: Api, cast: Cast, title: str, slug: str) -> None:
    client = api(cast.acme.write_key)

    entry = await create_entry(client, title)

    assert entry["slug"] == slug
    assert ok(await client.get(f"{ENTRIES}/{slug}")) == entry


async def test_slugs_of_equal_titles_are_numbered(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)

    slugs = [(await create_entry(client, "Fixes"))["slug"] for _ in range(3)]

    assert slugs == ["fixes", "fixes-2", "fixes-3"]
    assert (await create_entry(api(cast.globex.write_key), "Fixes"))["slug"] == "fixes"


async def test_twenty_of_one_title_at_once_get_twenty_slugs(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)

    entries = await at_once(20, lambda _: create_entry(client, "Fixes"))

    expected = {"fixes"} | {f"fixes-{number}" for number in range(2, 21)}
    assert {entry["slug"] for entry in entries} == expected


async def test_a_text_that_takes_too_long_to_render_is_refused_by_name(api: Api, cast: Cast) -> None:
    body = {"title": "Deep", "contentMarkdown": ">" * 200_000}

    assert named_fields(await api(cast.acme.write_key).post(ENTRIES, json=body)) == ["contentMarkdown"]


async def test_a_read_key_may_not_create(api: Api, cast: Cast) -> None:
    body = {"title": "Exports", "contentMarkdown": "Now."}

    refused = await api(cast.acme.read_key).post(ENTRIES, json=body)

    assert error(refused) == (403, "insufficient_scope")
