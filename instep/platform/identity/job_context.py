"""The context of a job: a connection in the workspace of its payload, for an actor of the service."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from uuid import UUID

from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Actor, Ctx


@asynccontextmanager
async def job_context(database: Database, payload: Mapping[str, str], actor: Actor) -> AsyncIterator[Ctx]:
    """Enter the workspace that a payload names in `workspace`, for its `bot`, without a transaction."""
    async with database.enter_workspace(payload["workspace"]) as tx:
        yield Ctx(tx, await find_bot(tx, UUID(payload["bot"])), actor, utc_now())
