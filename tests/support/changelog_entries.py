"""Helpers for tests of the changelog."""

from typing import Any

from instep.platform.core.database import Tx
from tests.support.cast import Client, Json
from tests.support.http import created, ok

ENTRIES = "/v1/changelog/entries"


async def create_entry(client: Client, title: str = "Exports as CSV", **fields: Any) -> Json:
    return created(
        await client.post(ENTRIES, json={"title": title, "contentMarkdown": "Now also so.", **fields})
    )


async def publish_entry(client: Client, title: str = "Exports as CSV", **fields: Any) -> Json:
    entry = await create_entry(client, title, **fields)
    return ok(await client.post(f"{ENTRIES}/{entry['id']}/publish"))


async def archive(owner: Tx, entry: Json) -> None:
    """Archive an entry, which only the dashboard can do."""
    sql = "update changelog_entries set status = 'archived' where id = %(id)s"
    assert await owner.execute(sql, id=entry["id"]) == 1
