"""How tests connect a repository at a code host, deliver to Instep, and look at what became of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import defer
from instep.platform.core.outbound.allowed import read_allow_list
from instep.platform.core.outbound.client import OutboundClient
from instep.runtime import worker_of
from instep.transfer.repositories import actions, queries
from instep.transfer.repositories.jobs import POLL_REPOSITORIES
from instep.transfer.repositories.schemas import HostKind, RepositoryChange, RepositoryFields
from tests.support.articles import acting
from tests.support.cast import Client, Company

LOOPBACK = ("INSTEP_WEBHOOK_ALLOW", "127.0.0.0/8")


@dataclass
class Connected:
    """A repository of a company's bot, and the jobs that read it."""

    database: Database
    client: OutboundClient
    company: Company
    repository_id: str
    hook_path: str
    secret: str

    async def work(self) -> int:
        """Run the jobs that are due; the number of attempts."""
        return await worker_of(self.database, self.client).run_due()

    async def changes(self) -> list[RepositoryChange]:
        async with acting(self.database, self.company) as ctx:
            return await actions.list_changes(ctx, [self.repository_id])

    async def only_change(self) -> RepositoryChange:
        [change] = await self.changes()
        return change

    async def poll(self, owner: Tx) -> int:
        await owner.execute("update repositories set poll_at = now()")
        async with self.database.enter_workspace("") as tx:
            await defer(tx, POLL_REPOSITORIES, {})
        return await self.work()

    async def last_error(self) -> str | None:
        async with acting(self.database, self.company) as ctx:
            return (await actions.get_repository(ctx, self.repository_id)).last_error


@asynccontextmanager
async def connected(
    database: Database,
    company: Company,
    kind: HostKind,
    url: str,
    token: str,
    name: str = "acme/app",
    fields: RepositoryFields | None = None,
) -> AsyncIterator[Connected]:
    """Connect a repository with a token; the setting `LOOPBACK` allows the double's address."""
    client = OutboundClient(read_allow_list("127.0.0.0/8"))
    new = actions.NewHost(kind, url, token)
    found = await actions.find_with_token(company.workspace_id, client, new, name)
    async with acting(database, company) as ctx:
        added = await actions.add_repository(ctx, found, fields or RepositoryFields())
        host = await queries.find_code_host(ctx.tx, added.host.id)
    assert host is not None and added.secret is not None
    yield Connected(database, client, company, added.id, f"/hooks/{kind}/{host.id}", added.secret)
    await client.aclose()
    # A poll of another test would ask a host that is gone.
    async with acting(database, company) as ctx:
        await actions.remove_repository(ctx, added.id)


async def tasks_of(client: Client) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = (await client.get("/v1/tasks")).json()["results"]
    return rows
