"""A visitor's first question starts a conversation."""

import re

from instep.accounts.workspaces.actions import pause_workspace
from instep.platform.core.database import Database, Tx
from instep.visitors.answers.actions import begin_conversation
from tests.support.cast import Api, Cast
from tests.support.events import heard
from tests.support.http import ID
from tests.support.visitors import begin, rows, visiting
from tests.support.webhook_endpoints import create_webhook


async def test_new_conversation_is_open_and_sends_no_event(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    await create_webhook(api(cast.acme.write_key))

    async with visiting(database, cast.acme) as ctx:
        begun = await begin_conversation(ctx, "ann", "pt-BR", None)

    assert re.fullmatch("conv" + ID, begun.id)
    assert (begun.bot_id, begun.locale, begun.page_url) == (cast.acme.bot_id, "pt-BR", None)
    assert (begun.status, begun.email, begun.message, begun.escalated_at) == ("open", None, None, None)
    assert begun.created_at == ctx.now
    assert [row["id"] for row in await rows(owner, "conversations", cast.acme)] == [begun.id]
    assert await heard(owner, cast.acme) == []


async def test_the_visitor_is_kept_as_a_hash_of_this_bot_only(
    cast: Cast, database: Database, owner: Tx
) -> None:
    for visitor in ("ann-7", "ann-7", "bob"):
        await begin(database, cast.acme, visitor=visitor)
    await begin(database, cast.globex, visitor="ann-7")

    acme, globex = [await rows(owner, "conversations", company) for company in (cast.acme, cast.globex)]

    hashes = [row["visitor_hash"] for row in acme]
    assert len(set(hashes)) == 2
    assert globex[0]["visitor_hash"] not in hashes
    assert "ann-7" not in str(acme)


async def test_a_paused_workspace_goes_on_answering(cast: Cast, database: Database, owner: Tx) -> None:
    await pause_workspace(owner, cast.paused.workspace_id)

    assert await begin(database, cast.paused)
