"""Administrative work of commands: as the owner of the database, beside whatever server is running."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from instep.core.errors import InvalidRequest, NotFound
from instep.core.ids import as_uuid

if TYPE_CHECKING:
    from instep.core.database import Tx
    from instep.identity.schemas import Ctx

Result = TypeVar("Result")


def as_owner(work: "Callable[[Tx], Awaitable[Result]]") -> Result:
    """Run the work on the schema that this version of Instep needs, in one transaction."""
    import asyncio

    import psycopg

    from instep.core.config import settings
    from instep.core.database import OUTAGES, Tx
    from instep.core.outages import outage_of
    from instep.core.postgres import running_postgres
    from instep.migrations import migrate

    async def run(url: str) -> Result:
        try:
            async with await psycopg.AsyncConnection.connect(url) as connection:
                return await work(Tx(connection))
        except OUTAGES as error:
            raise outage_of(error) from error

    with running_postgres(settings()) as postgres:
        migrate(postgres.url)
        return asyncio.run(run(postgres.url))


def in_workspace(workspace: str | None, work: "Callable[[Tx, str], Awaitable[Result]]") -> Result:
    """The same, in the workspace that is named, or the only one."""
    from instep.workspaces.actions import find_workspace

    async def run(tx: "Tx") -> Result:
        return await work(tx, (await find_workspace(tx, workspace)).id)

    return as_owner(run)


async def acting(tx: "Tx", workspace_id: str, bot_id: UUID) -> "Ctx":
    """Who works from the command line, on one bot of the workspace."""
    from instep.core.clock import utc_now
    from instep.identity.schemas import OPERATOR, Bot, Ctx
    from instep.workspaces.queries import list_bots

    for bot in await list_bots(tx, workspace_id):
        if bot.id == bot_id:
            known = Bot(bot.id, bot.workspace_id, bot.slug, bot.name, bot.locale)
            return Ctx(tx, known, OPERATOR, utc_now())
    raise NotFound(f"There is no bot {bot_id} in this workspace: `instep bot list` shows them.")


def as_bot_id(text: str) -> UUID:
    bot_id = as_uuid(text)
    if bot_id is None:
        raise InvalidRequest(f"{text} is not a bot's id: `instep bot list` shows them.")
    return bot_id
