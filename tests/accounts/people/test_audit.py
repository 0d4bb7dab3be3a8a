"""The audit log: who did what and how, in the change's own transaction, kept for the documented time."""

from datetime import timedelta

import pytest

from instep.accounts.people.actions import list_audit
from instep.accounts.people.schemas import AuditEntry
from instep.accounts.workspaces.actions import create_bot, create_key, pause_workspace, revoke_key
from instep.drafting.drafts.actions import dismiss_draft, get_draft
from instep.operations.ops import prune
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Ctx, Person
from instep.platform.identity.scopes import Role, Scope
from tests.support.cast import Api, Cast, Client
from tests.support.mcp import use


async def newest(owner: Tx, cast: Cast, limit: int = 1) -> list[AuditEntry]:
    return await list_audit(owner, cast.acme.workspace_id, limit)


async def test_an_entry_says_who_did_what_to_which_resource_and_where_it_came_in(
    client: Client, cast: Cast, owner: Tx
) -> None:
    article = (await client.post("/v1/articles", json={"title": "A", "contentMarkdown": "b"})).json()
    await client.patch("/v1/articles/a", json={"title": "B"})
    await use(client, "publish_article", {"id": "a"})

    published, changed, created = await newest(owner, cast, 3)

    for entry in (published, changed, created):
        assert (entry.actor_type, entry.actor_id) == ("api_key", cast.acme.write_key_id)
        assert (entry.actor_name, entry.app) == ("Acme writer", None)
        # The entry has the id even if the request used the slug.
        assert (entry.bot_id, entry.resource) == (cast.acme.bot_id, article["id"])
        assert utc_now() - entry.created_at < timedelta(minutes=1)
    assert [entry.action for entry in (published, changed, created)] == [
        "publish_article",
        "update_article",
        "create_article",
    ]
    assert [entry.channel for entry in (published, changed, created)] == ["mcp", "rest", "rest"]


async def test_an_entry_names_a_person_and_the_app_that_acts_for_them(
    client: Client, cast: Cast, owner: Tx, database: Database
) -> None:
    await client.post("/v1/articles", json={"title": "A", "contentMarkdown": "b"})
    draft = (await client.post("/v1/articles/a/drafts", json={"contentMarkdown": "c"})).json()
    ann = Person("per_1", cast.acme.workspace_id, "ann@acme.example", Role.EDITOR)
    async with database.enter_workspace(cast.acme.workspace_id) as tx, tx.transaction():
        bot = await find_bot(tx, cast.acme.bot_id)
        await dismiss_draft(Ctx(tx, bot, ann.as_actor("mcp", "Some agent"), utc_now()), draft["id"])

    [entry] = await newest(owner, cast)

    assert (entry.actor_type, entry.actor_id, entry.actor_name) == ("person", "per_1", "ann@acme.example")
    assert (entry.app, entry.channel, entry.action) == ("Some agent", "mcp", "dismiss_draft")


async def test_refused_and_failed_actions_leave_no_audit_entry(
    client: Client, reader: Client, cast: Cast, owner: Tx, database: Database
) -> None:
    before = await newest(owner, cast)
    await client.patch("/v1/articles/nothing", json={"title": "B"})
    await client.post("/v1/articles", json={"title": ""})
    await reader.post("/v1/articles", json={"title": "A", "contentMarkdown": "b"})
    await client.get("/v1/articles")

    async def change_and_fail() -> None:
        async with database.enter_workspace(cast.acme.workspace_id) as tx, tx.transaction():
            bot = await find_bot(tx, cast.acme.bot_id)
            writer = Person("per_1", bot.workspace_id, "ann@acme.example", Role.EDITOR).as_actor("page")
            await dismiss_draft(Ctx(tx, bot, writer, utc_now()), draft["id"])
            raise ZeroDivisionError

    assert await newest(owner, cast) == before
    await client.post("/v1/articles", json={"title": "A", "contentMarkdown": "b"})
    draft = (await client.post("/v1/articles/a/drafts", json={"contentMarkdown": "c"})).json()
    before = await newest(owner, cast)
    with pytest.raises(ZeroDivisionError):
        await change_and_fail()
    assert await newest(owner, cast) == before
    assert (await find_draft_status(database, cast, draft["id"])) == "pending"


async def find_draft_status(database: Database, cast: Cast, draft_id: str) -> str:
    async with database.enter_workspace(cast.acme.workspace_id) as tx:
        bot = await find_bot(tx, cast.acme.bot_id)
        reader = Person("per_1", bot.workspace_id, "ann@acme.example", Role.VIEWER).as_actor("page")
        detail = await get_draft(Ctx(tx, bot, reader, utc_now()), draft_id)
        return detail.draft.status


async def test_commands_stand_in_it_too(api: Api, cast: Cast, owner: Tx) -> None:
    workspace_id = cast.acme.workspace_id
    bot = await create_bot(owner, workspace_id, "New", None, "en")
    key = await create_key(owner, workspace_id, "new", Scope.READ, [])
    await revoke_key(owner, workspace_id, key.row.id)
    await pause_workspace(owner, workspace_id)

    entries = await newest(owner, cast, 4)

    assert [(entry.action, entry.resource, entry.channel) for entry in entries] == [
        ("pause_workspace", workspace_id, "command"),
        ("revoke_key", key.row.id, "command"),
        ("create_key", key.row.id, "command"),
        ("create_bot", str(bot.id), "command"),
    ]


async def test_one_company_does_not_see_anothers(
    client: Client, cast: Cast, owner: Tx, database: Database
) -> None:
    await client.post("/v1/articles", json={"title": "A", "contentMarkdown": "b"})
    async with database.enter_workspace(cast.globex.workspace_id) as tx:
        assert await list_audit(tx, cast.acme.workspace_id, 10) == []
        assert (
            await tx.value("select count(*) from audit_entries where bot_id = %(b)s", b=cast.acme.bot_id) == 0
        )


async def test_entries_are_kept_as_long_as_stated_and_no_longer(
    client: Client, cast: Cast, owner: Tx, database: Database
) -> None:
    for title in ("A", "B"):
        await client.post("/v1/articles", json={"title": title, "contentMarkdown": "c"})
    entries = await newest(owner, cast, 2)
    for entry, age in zip(entries, (timedelta(hours=-1), timedelta(hours=1)), strict=True):
        await owner.execute(
            "update audit_entries set created_at = now() - %(age)s where id = %(id)s",
            age=limits.AUDIT_RETENTION + age,
            id=entry.id,
        )

    await prune.prune(database, Job(1, prune.PRUNE, {}, 1))

    remaining = {entry.id for entry in await newest(owner, cast, 100)}
    assert entries[0].id in remaining
    assert entries[1].id not in remaining
