"""The review queue by source, as in the dashboard: grouped, counted, filtered, and applied at once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from instep.drafting.drafts.proposals import EditProposal
from instep.drafting.drafts.renewing import queue_edit_of_task
from instep.drafting.drafts.schemas import Certainty
from instep.drafting.drafts.source_queue import apply_certain
from instep.drafting.drafts.viewing import list_viewers, note_viewer
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InsufficientScope
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Actor, Ctx
from tests.support.cast import Cast, Client, Company, Json
from tests.support.drafts import AFTER, BEFORE, get, propose, text_of, write_article
from tests.support.http import error
from tests.support.sign_in import sign_up

URL = "https://git.test/acme/pull/7"
WRITER = Actor("task", "Instep", can_write=True)
CLASHING = BEFORE.replace("`install`", "`bootstrap`")


@asynccontextmanager
async def context(database: Database, company: Company, actor: Actor = WRITER) -> AsyncIterator[Ctx]:
    async with database.enter_workspace(company.workspace_id) as tx, tx.transaction():
        yield Ctx(tx, await find_bot(tx, company.bot_id), actor, utc_now())


async def propose_as_task(ctx: Ctx, article: Json, certainty: Certainty = "certain", url: str = URL) -> None:
    proposal = EditProposal(
        content=AFTER,
        base_version=1,
        base_title=article["title"],
        base_content=BEFORE,
        source_url=url,
        certainty=certainty,
    )
    await queue_edit_of_task(ctx, article["id"], proposal)


async def test_the_certain_drafts_of_a_source_are_applied_and_conflicts_stay(
    client: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    first, clash, likely, other = [await write_article(client, f"Article {number}") for number in range(4)]
    async with context(database, cast.acme) as ctx:
        for article in (first, clash):
            await propose_as_task(ctx, article)
        await propose_as_task(ctx, likely, "likely")
        await propose_as_task(ctx, other, url=f"{URL}0")
    await client.patch(f"/v1/articles/{clash['id']}", json={"contentMarkdown": CLASHING})
    user = await sign_up(owner, cast.acme.workspace_id)
    ada = Actor("person", user.email, can_write=True, id=user.id)

    async with context(database, cast.acme, ada) as ctx:
        batch = await apply_certain(ctx, f"url {URL}")

    outcomes = {result.draft.article_id: result.refusal and result.refusal.code for result in batch.results}
    assert outcomes == {first["id"]: None, clash["id"]: "conflict"}
    texts = [await text_of(client, article) for article in (first, clash, likely, other)]
    assert texts == [AFTER, CLASHING, BEFORE, BEFORE]
    applied_id = next(result.draft.id for result in batch.results if result.refusal is None)
    refusal = await client.post(f"/v1/drafts/{applied_id}/dismiss")
    assert error(refusal) == (400, "draft_not_pending")
    assert f"by {user.email} on 20" in refusal.json()["error"]


async def test_reader_applies_nothing(client: Client, cast: Cast, database: Database) -> None:
    article = await write_article(client)
    async with context(database, cast.acme) as ctx:
        await propose_as_task(ctx, article)

    async with context(database, cast.acme, Actor("person", "ann", can_write=False)) as ctx:
        with pytest.raises(InsufficientScope):
            await apply_certain(ctx, f"url {URL}")

    assert await text_of(client, article) == BEFORE


async def test_people_see_who_else_has_a_draft_open_for_a_short_time(
    client: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    draft = await propose(client, await write_article(client))
    users = [await sign_up(owner, cast.acme.workspace_id) for _ in range(2)]
    ann, bob = [Actor("person", user.email, can_write=False, id=user.id) for user in users]
    for actor in (ann, ann, bob, WRITER):
        async with context(database, cast.acme, actor) as ctx:
            await note_viewer(ctx, draft["id"])
            await note_viewer(ctx, "edit_nothing")

    async with context(database, cast.acme, ann) as ctx:
        assert await list_viewers(ctx, [draft["id"], "edit_nothing"]) == {draft["id"]: [bob.name]}
        later = replace(ctx, now=ctx.now + limits.DRAFT_VIEWER_TTL + timedelta(seconds=1))
        assert await list_viewers(later, [draft["id"]]) == {}
        await note_viewer(later, draft["id"])
    async with context(database, cast.globex) as ctx:
        assert await list_viewers(ctx, [draft["id"]]) == {}
    assert (
        await owner.value("select count(*) from draft_viewers where draft_id = %(id)s", id=draft["id"]) == 1
    )


async def test_the_settled_draft_is_told_with_who_was_first(client: Client) -> None:
    draft = await propose(client, await write_article(client))
    await client.post(f"/v1/drafts/{draft['id']}/dismiss")

    refusal = await client.post(f"/v1/drafts/{draft['id']}/apply", json={})

    assert "by Acme writer" in refusal.json()["error"]
    assert (await get(client, f"drafts/{draft['id']}"))["status"] == "dismissed"
