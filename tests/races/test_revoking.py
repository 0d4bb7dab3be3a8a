"""A command revokes a key in use at four processes: the key is rejected as soon as the command has ended."""

from asyncio import create_task, to_thread
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count

import pytest

from instep.accounts.workspaces import actions
from instep.accounts.workspaces.schemas import NewKey
from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Scope
from tests.races.conftest import Call, lift_limit
from tests.races.servers import PROCESSES, Servers
from tests.support.cast import Cast, Client
from tests.support.http import at_once, create_article, ok

CALLERS = 2 * PROCESSES
CALLS_AFTERWARDS = 10
KEYS = 5


@dataclass
class Revocation:
    """Records that the command has ended."""

    is_over: bool = False


@pytest.mark.races
async def test_no_call_that_begins_after_the_command_succeeds(
    servers: Servers, caller: Call, cast: Cast, owner: Tx
) -> None:
    other = await caller(0)
    path = f"/v1/articles/{(await create_article(other))['id']}"
    for number in range(KEYS):
        async with AsyncExitStack() as opened:
            key = await make_key(owner, cast)
            clients = [servers.client(process, key.key) for process in range(CALLERS)]
            for client in clients:
                await opened.enter_async_context(client)
            await assert_revoked_at_once(servers, cast, key.row.id, clients, path)
        ok(await other.patch(path, json={"contentMarkdown": f"After {number} keys."}))


async def make_key(owner: Tx, cast: Cast) -> NewKey:
    key = await actions.create_key(owner, cast.acme.workspace_id, "old", Scope.WRITE, [cast.acme.bot_id])
    await lift_limit(owner, "api", key.row.id)
    return key


async def assert_revoked_at_once(
    servers: Servers, cast: Cast, key_id: str, clients: list[Client], path: str
) -> None:
    revocation = Revocation()
    calling = create_task(at_once(len(clients), lambda number: call_on(clients[number], path, revocation)))
    workspace = ("--workspace", cast.acme.workspace_id)
    await to_thread(servers.installation.run, "key", "revoke", key_id, *workspace)
    revocation.is_over = True
    assert min(await calling) > 0, "not everybody used the key before its end"


async def call_on(client: Client, path: str, revocation: Revocation) -> int:
    """Read and write with the key until some calls after its revocation; return how many succeeded."""
    passed = afterwards = 0
    for number in count():
        is_over = revocation.is_over
        body = {"contentMarkdown": f"Text {number}."}
        answer = await (client.patch(path, json=body) if number % 2 else client.get(path))
        # Calls without a valid key count against the address, so they can be rate limited.
        assert answer.status_code in ((401, 429) if is_over else (200, 401, 429)), answer.text
        passed += answer.is_success
        afterwards += is_over
        if afterwards == CALLS_AFTERWARDS:
            break
    return passed
