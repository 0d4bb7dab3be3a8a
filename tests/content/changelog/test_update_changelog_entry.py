"""PATCH /v1/changelog/entries/{id}."""

from typing import Any

import pytest

from tests.support.cast import Client
from tests.support.changelog_entries import ENTRIES, create_entry, publish_entry
from tests.support.http import Response, at_once, error, named_fields, ok

ENTRY = f"{ENTRIES}/exports-as-csv"


async def test_only_the_fields_sent_change(client: Client) -> None:
    entry = await create_entry(client, sourceUrl="https://git.test/pull/1")

    for body in ({"title": "Exports"}, {"contentMarkdown": ""}, {"title": "Both", "contentMarkdown": "New."}):
        changed = ok(await client.patch(ENTRY, json=body))
        assert changed["updatedAt"] >= entry["updatedAt"]
        assert changed == {**entry, **body, "updatedAt": changed["updatedAt"]}
        entry = changed

    assert ok(await client.get(ENTRY)) == entry


async def test_the_slug_stays_when_the_title_changes(client: Client) -> None:
    entry = await publish_entry(client)

    changed = ok(await client.patch(ENTRY, json={"title": "Something else"}))

    assert (changed["slug"], changed["url"]) == (entry["slug"], entry["url"])


async def test_the_new_text_of_a_published_entry_is_live_at_once(client: Client, visitor: Client) -> None:
    url = (await publish_entry(client))["url"]

    changed = ok(await client.patch(ENTRY, json={"title": "CSV", "contentMarkdown": "**At last.**"}))

    assert changed["status"] == "published"
    page = (await visitor.get(url)).text
    assert "<h1>CSV</h1>" in page
    assert "<strong>At last.</strong>" in page


async def test_the_answer_may_hold_html(client: Client) -> None:
    await create_entry(client)

    for body in ({"contentMarkdown": "*new*"}, {}):
        changed = ok(await client.patch(f"{ENTRY}?format=html", json=body))
        assert changed["contentHtml"] == "<p><em>new</em></p>\n"
        assert "contentMarkdown" not in changed


async def test_update_without_changes_leaves_no_trace(client: Client) -> None:
    entry = await create_entry(client)

    for body in ({}, {name: entry[name] for name in ("title", "contentMarkdown")}):
        assert ok(await client.patch(ENTRY, json=body)) == entry
    assert ok(await client.get(ENTRY)) == entry


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", None),
        ("title", ""),
        ("title", "\u3000"),
        ("title", "x" * 201),
        ("title", {}),
        ("contentMarkdown", None),
        ("contentMarkdown", "a\0b"),
        ("contentMarkdown", "x" * 1_000_001),
        ("sourceUrl", "https://git.test/pull/2"),
        ("sourceUrl", None),
        ("status", "published"),
        ("slug", "other"),
        ("publishedAt", None),
    ],
)
async def test_a_bad_value_is_refused_by_name(client: Client, field: str, value: Any) -> None:
    entry = await create_entry(client)

    refusal = await client.patch(
        ENTRY, json={"title": "Not kept", "contentMarkdown": "Nor this", field: value}
    )

    assert named_fields(refusal) == [field]
    assert ok(await client.get(ENTRY)) == entry


async def test_a_stale_etag_is_refused_and_the_present_one_is_not(client: Client) -> None:
    await create_entry(client)
    mine = {"If-Match": (await client.get(ENTRY)).headers["ETag"]}
    present = (await client.patch(ENTRY, json={"title": "Mine"}, headers=mine)).headers["ETag"]

    refusal = await client.patch(ENTRY, json={"title": "Theirs"}, headers=mine)

    assert error(refusal) == (400, "conflict")
    assert ok(await client.get(ENTRY))["title"] == "Mine"
    for tag in (present, "*"):
        ok(await client.patch(ENTRY, json={"title": "Mine"}, headers={"If-Match": tag}))


async def test_ten_parallel_writers_with_one_etag_succeed_once(client: Client) -> None:
    await create_entry(client)

    async def write(title: str) -> list[tuple[int, str | None]]:
        headers = {"If-Match": (await client.get(ENTRY)).headers["ETag"]}

        async def ask(number: int) -> Response:
            return await client.patch(ENTRY, json={"title": f"{title} by {number}"}, headers=headers)

        return [(answer.status_code, answer.json().get("code")) for answer in await at_once(10, ask)]

    # In the first round the pool is still opening connections, so few requests really overlap.
    for number in range(5):
        answers = await write(f"Round {number}")
        assert sorted(answers, key=str) == [(200, None)] + [(400, "conflict")] * 9
