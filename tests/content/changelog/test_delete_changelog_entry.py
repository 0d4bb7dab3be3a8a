"""Archiving and deleting entries in the dashboard; the API has no operation for this."""

import pytest

from instep.content.changelog.actions import archive_changelog_entry, delete_changelog_entry
from instep.platform.core.database import Database
from instep.platform.core.errors import Conflict, NotFound
from tests.support.articles import acting
from tests.support.cast import Cast, Client
from tests.support.changelog_entries import ENTRIES, create_entry, publish_entry
from tests.support.http import error, ok


async def test_a_deleted_entry_is_gone_for_good(
    client: Client, visitor: Client, cast: Cast, database: Database
) -> None:
    entry = await publish_entry(client)

    async with acting(database, cast.acme) as ctx:
        assert (await delete_changelog_entry(ctx, entry["slug"])).id == entry["id"]
        with pytest.raises(NotFound):
            await delete_changelog_entry(ctx, entry["id"])

    assert error(await client.get(f"{ENTRIES}/{entry['id']}")) == (404, "not_found")
    assert (await visitor.get(entry["url"])).status_code == 404


async def test_an_archived_entry_leaves_the_help_center(
    client: Client, visitor: Client, cast: Cast, database: Database
) -> None:
    entry = await publish_entry(client)

    async with acting(database, cast.acme) as ctx:
        await archive_changelog_entry(ctx, entry["id"])
        await archive_changelog_entry(ctx, entry["id"])

    archived = ok(await client.get(f"{ENTRIES}/{entry['id']}"))
    assert (archived["status"], archived["publishedAt"]) == ("archived", entry["publishedAt"])
    assert (await visitor.get(entry["url"])).status_code == 404


async def test_an_entry_that_has_changed_since_stays(client: Client, cast: Cast, database: Database) -> None:
    entry = await create_entry(client)
    async with acting(database, cast.acme) as ctx:
        for action in (archive_changelog_entry, delete_changelog_entry):
            with pytest.raises(Conflict):
                await action(ctx, entry["id"], '"older"')

    assert ok(await client.get(f"{ENTRIES}/{entry['id']}")) == entry
