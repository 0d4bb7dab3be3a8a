"""Fixtures of the race tests: server processes, started once, and callers with their own keys."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack

import pytest

from instep.accounts.workspaces import actions
from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Scope
from tests.races.servers import Servers, four_servers
from tests.support.cast import Cast, Client

Call = Callable[[int], Awaitable[Client]]


@pytest.fixture(scope="session")
def servers(database_url: str) -> Iterator[Servers]:
    """Servers with limits low enough to be reached quickly."""
    limits = {"INSTEP_REQUESTS_PER_MINUTE": "120", "INSTEP_TASKS_PER_HOUR": "30"}
    with four_servers(database_url, **limits) as started_servers:
        yield started_servers


@pytest.fixture
async def caller(servers: Servers, cast: Cast, owner: Tx) -> AsyncIterator[Call]:
    """A caller of Acme with its own key, connected to one process and exempt from rate limits."""
    await lift_limit(owner, "workspace-tasks", cast.acme.workspace_id)
    async with AsyncExitStack() as opened:

        async def call(number: int) -> Client:
            name = f"Caller {number}"
            new_key = await actions.create_key(
                owner, cast.acme.workspace_id, name, Scope.WRITE, [cast.acme.bot_id]
            )
            for policy in ("api", "tasks"):
                await lift_limit(owner, policy, new_key.row.id)
            return await opened.enter_async_context(servers.client(number, new_key.key))

        yield call


async def lift_limit(owner: Tx, policy: str, subject: str) -> None:
    """Open a one-day window whose count starts so far below zero that the limit is never reached."""
    await owner.execute(
        """
        insert into rate_windows (policy, subject, started_at, hits)
        values (%(policy)s, %(subject)s, clock_timestamp() + interval '1 day', -1000000)
        """,
        policy=policy,
        subject=subject,
    )
