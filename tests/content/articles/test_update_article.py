"""PATCH /v1/articles/{id}."""

from typing import Any

import pytest

from tests.support.cast import Client, Json
from tests.support.http import (
    Response,
    all_pages,
    at_once,
    create_article,
    create_collection,
    error,
    named_fields,
    ok,
)

INSTALL = "/v1/articles/install"


async def test_only_the_fields_sent_change(client: Client) -> None:
    guides = await create_collection(client)
    article = await create_article(client, description="How to.")
    steps: list[Json] = [
        {"title": "Set up"},
        {"contentMarkdown": ""},
        {"description": "Otherwise."},
        {"collectionId": guides["id"]},
        {"visibility": "authenticated"},
        {"position": 2_147_483_647},
        {"slug": "set-up"},
        {"collectionId": None},
    ]
    for body in steps:
        changed = ok(await client.patch(f"/v1/articles/{article['id']}", json=body))
        version = article["version"] + bool(body.keys() & {"title", "contentMarkdown"})
        assert changed == {**article, **body, "version": version, "updatedAt": changed["updatedAt"]}
        assert changed["updatedAt"] >= article["updatedAt"]
        article = changed

    assert ok(await client.get(f"/v1/articles/{article['id']}")) == article


async def test_the_new_text_of_a_published_article_is_live_at_once(client: Client, visitor: Client) -> None:
    await create_article(client)
    url = ok(await client.post(f"{INSTALL}/publish"))["url"]

    changed = ok(await client.patch(INSTALL, json={"contentMarkdown": "Run it **twice**."}))

    assert changed["status"] == "published"
    assert "Run it <strong>twice</strong>." in (await visitor.get(url)).text


async def test_a_draft_stays_a_draft(client: Client) -> None:
    await create_article(client)

    changed = ok(await client.patch(INSTALL, json={"contentMarkdown": "New."}))

    assert (changed["status"], changed["url"]) == ("draft", None)


async def test_the_answer_may_hold_html(client: Client) -> None:
    await create_article(client)

    for body in ({"contentMarkdown": "*new*"}, {}):
        changed = ok(await client.patch(f"{INSTALL}?format=html", json=body))
        assert changed["contentHtml"] == "<p><em>new</em></p>\n"
        assert "contentMarkdown" not in changed


async def test_update_without_changes_leaves_no_trace(client: Client) -> None:
    article = await create_article(client, description="How to.")
    same = ("title", "contentMarkdown", "slug", "description", "collectionId", "visibility", "position")

    for body in ({}, {name: article[name] for name in same}):
        assert ok(await client.patch(INSTALL, json=body)) == article

    assert ok(await client.get(INSTALL)) == article
    assert await all_pages(client, f"{INSTALL}/revisions") == []


async def test_a_title_may_have_200_characters(client: Client) -> None:
    await create_article(client)

    assert ok(await client.patch(INSTALL, json={"title": "語" * 200}))["title"] == "語" * 200


@pytest.mark.parametrize("empty", ["", " \n", None])
async def test_an_empty_description_clears_it(client: Client, empty: str | None) -> None:
    await create_article(client, description="How to.")

    assert ok(await client.patch(INSTALL, json={"description": empty}))["description"] is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", None),
        ("title", ""),
        ("title", "\u3000"),
        ("title", "x" * 201),
        ("title", {}),
        ("title", "a\0b"),
        ("contentMarkdown", None),
        ("contentMarkdown", "a\0b"),
        ("contentMarkdown", "x" * 1_000_001),
        ("description", "x" * 501),
        ("description", 1),
        ("slug", None),
        ("slug", ""),
        ("slug", "search"),
        ("slug", "edit_01k0000000000000000000000a"),
        ("slug", "Über"),
        ("collectionId", "nowhere"),
        ("collectionId", False),
        ("visibility", "draft"),
        ("visibility", None),
        ("position", -1),
        ("position", 2_147_483_648),
        ("position", 1.5),
        ("position", None),
        ("status", "published"),
        ("locale", "de"),
        ("translationOf", None),
        ("version", 1),
        ("updatedAt", "2026-01-01T00:00:00Z"),
    ],
)
async def test_a_bad_value_is_refused_by_name(client: Client, field: str, value: Any) -> None:
    article = await create_article(client)

    refusal = await client.patch(INSTALL, json={"description": "Not kept either.", field: value})

    assert named_fields(refusal) == [field]
    assert ok(await client.get(INSTALL)) == article


async def test_a_collection_of_somebody_else_is_as_unknown_as_none(client: Client, globex: Client) -> None:
    theirs = await create_collection(globex)
    await create_article(client)

    refusal = await client.patch(INSTALL, json={"collectionId": theirs["id"]})
    unknown = await client.patch(INSTALL, json={"collectionId": "nowhere"})

    assert named_fields(refusal) == ["collectionId"]
    assert refusal.content == unknown.content


async def test_a_slug_in_use_is_taken_and_nothing_is_changed(client: Client) -> None:
    article = await create_article(client, "Install")
    await create_article(client, "Other")

    refusal = await client.patch(INSTALL, json={"slug": "other", "title": "New"})

    assert error(refusal) == (400, "slug_taken")
    assert ok(await client.get(INSTALL)) == article


async def test_ten_parallel_updates_to_one_slug_succeed_once(client: Client) -> None:
    articles = [await create_article(client, f"No {number}") for number in range(10)]

    async def ask(number: int) -> Response:
        return await client.patch(f"/v1/articles/{articles[number]['id']}", json={"slug": "wanted"})

    answers = [(answer.status_code, answer.json().get("code")) for answer in await at_once(10, ask)]

    assert sorted(answers, key=str) == [(200, None)] + [(400, "slug_taken")] * 9


async def test_the_site_leads_from_a_former_slug_to_the_present_one(client: Client, visitor: Client) -> None:
    await create_article(client)
    old = ok(await client.post(f"{INSTALL}/publish"))["url"]

    new = ok(await client.patch(INSTALL, json={"slug": "set-up"}))["url"]

    moved = await visitor.get(old)
    assert (moved.status_code, moved.headers["Location"]) == (301, new)


async def test_a_stale_etag_is_refused_and_the_present_one_is_not(client: Client) -> None:
    await create_article(client)
    stale = (await client.get(INSTALL)).headers["ETag"]
    mine = {"If-Match": stale}
    present = (await client.patch(INSTALL, json={"title": "Mine"}, headers=mine)).headers["ETag"]

    refusal = await client.patch(INSTALL, json={"title": "Theirs"}, headers=mine)

    assert error(refusal) == (400, "conflict")
    assert ok(await client.get(INSTALL))["title"] == "Mine"
    for tag in (present, "*"):
        assert (
            await client.patch(INSTALL, json={"title": "Mine"}, headers={"If-Match": tag})
        ).status_code == 200
    assert (await client.get(INSTALL)).headers["ETag"] == present


async def test_ten_parallel_writers_with_one_etag_succeed_once(client: Client) -> None:
    await create_article(client)
    etag = {"If-Match": (await client.get(INSTALL)).headers["ETag"]}

    async def write(number: int) -> int:
        body = {"contentMarkdown": f"By {number}"}
        return (await client.patch(INSTALL, json=body, headers=etag)).status_code

    assert sorted(await at_once(10, write)) == [200] + [400] * 9


async def test_writers_of_a_root_and_its_translations_do_not_hinder_each_other(client: Client) -> None:
    root = await create_article(client)

    async def ask(number: int) -> int:
        if number % 2:
            return (await client.patch(INSTALL, json={"title": f"T{number}"})).status_code
        body = {"title": "T", "contentMarkdown": "", "translationOf": root["id"], "locale": f"de-{number:03}"}
        return (await client.post("/v1/articles", json=body)).status_code

    assert set(await at_once(24, ask)) == {200, 201}
