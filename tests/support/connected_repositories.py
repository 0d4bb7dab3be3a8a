"""Helpers to connect a repository at a code host, send deliveries to Instep, and check the results."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import defer
from instep.platform.core.outbound.allowed import read_allow_list
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.llm.protocol import Model
from instep.runtime import worker_of
from instep.transfer.repositories import actions, queries, review_queries
from instep.transfer.repositories.host_credentials import seal_credentials
from instep.transfer.repositories.intake import take_comment, take_in
from instep.transfer.repositories.jobs import POLL_REPOSITORIES
from instep.transfer.repositories.schemas import (
    HostCredentials,
    HostKind,
    PullComment,
    PullRequest,
    RemoteRepository,
    Repository,
    RepositoryChange,
    RepositoryFields,
)
from tests.support.articles import acting
from tests.support.cast import Client, Company

PULL_REQUEST = PullRequest(
    number=7,
    title="Rename the setting",
    body=None,
    url="https://git.example.com/acme/app/pull/7",
    branch="main",
    head="6dcb09b5b57875f334f61aebed695e2e4193db5e",
    is_draft=False,
    is_open=True,
    is_merged=False,
    is_by_bot=False,
)
LOOPBACK = ("INSTEP_WEBHOOK_ALLOW", "127.0.0.0/8")


@dataclass
class Connected:
    """A repository connected to a company's bot, and the jobs that read it."""

    database: Database
    client: OutboundClient
    company: Company
    repository_id: str
    hook_path: str
    secret: str

    async def work(self, model: Model | None = None) -> int:
        """Run the jobs that are due, with this language model, and return the number of attempts."""
        return await worker_of(self.database, self.client, model).run_due()

    async def changes(self) -> list[RepositoryChange]:
        async with acting(self.database, self.company) as ctx:
            return await actions.list_changes(ctx, [self.repository_id])

    async def only_change(self) -> RepositoryChange:
        [change] = await self.changes()
        return change

    async def poll(self, owner: Tx) -> int:
        # Repositories of other tests must not become due.
        await owner.execute(
            "update repositories set check_at = now() + interval '1 day',"
            " poll_at = now() + case id when %(id)s then '0' else '1 day' end::interval",
            id=self.repository_id,
        )
        async with self.database.enter_workspace("") as tx:
            await defer(tx, POLL_REPOSITORIES, {})
        return await self.work()

    async def set_fields(self, owner: Tx, **fields: object) -> None:
        for name, value in fields.items():
            await owner.execute(
                f"update repositories set {name} = %(value)s where id = %(id)s",
                value=value,
                id=self.repository_id,
            )

    async def try_again(self, owner: Tx) -> None:
        """Retry the job of a pull request now."""
        await owner.execute(
            "update jobs set run_at = now() where kind = 'send_pull_request' and workspace_id = %(id)s",
            id=self.company.workspace_id,
        )
        await self.work()

    async def review(self, owner: Tx) -> None:
        """Run the jobs that are due, then the reviews that were waiting for a task."""
        await self.work()
        await owner.execute(
            "update jobs set run_at = now() where kind in ('review_pull', 'run_pull_commands')"
            " and workspace_id = %(id)s",
            id=self.company.workspace_id,
        )
        await self.work()

    async def last_error(self) -> str | None:
        return (await self.stored()).last_error

    async def stored(self) -> Repository:
        async with acting(self.database, self.company) as ctx:
            return await actions.get_repository(ctx, self.repository_id)

    async def check(self) -> Repository:
        """Check the articles against the code as the button does, with one attempt of the job."""
        async with acting(self.database, self.company) as ctx:
            await actions.check_repository(ctx, self.repository_id)
        await self.work()
        return await self.stored()


@asynccontextmanager
async def connected(
    database: Database,
    company: Company,
    kind: HostKind,
    url: str,
    token: str,
    name: str = "acme/app",
    fields: RepositoryFields | None = None,
    is_checked: bool = False,
) -> AsyncIterator[Connected]:
    """Connect a repository with a token; the setting `LOOPBACK` allows the double's address.

    The job that checks the articles against the code is only queued with `is_checked`.
    """
    client = OutboundClient(read_allow_list("127.0.0.0/8"))
    new = actions.NewHost(kind, url, token)
    found = await actions.find_with_token(company.workspace_id, client, new, name)
    async with acting(database, company) as ctx:
        added = await actions.add_repository(ctx, found, fields or RepositoryFields())
        host = await queries.find_code_host(ctx.tx, added.host.id)
        if not is_checked:
            await ctx.tx.execute("delete from jobs where dedupe = %(id)s", id=added.id)
    assert host is not None
    assert added.secret is not None
    try:
        yield Connected(database, client, company, added.id, f"/hooks/{kind}/{host.id}", added.secret)
    finally:
        await client.aclose()
        # Polling in another test would call a host that no longer runs.
        async with acting(database, company) as ctx:
            await actions.remove_repository(ctx, added.id)


async def store_repository(database: Database, company: Company, url: str = "https://git.example.com") -> str:
    """Store a repository with a pull request without calling a code host, and return its id."""
    host = actions.new_code_host(company.workspace_id, "github", url)
    host = seal_credentials(host, HostCredentials("a secret of the webhook", "a token"))
    remote_repository = actions.FoundRepository(host, RemoteRepository("1296269", "acme/app", "main"))
    async with acting(database, company) as ctx:
        added = await actions.add_repository(ctx, remote_repository, RepositoryFields())
        repository = await actions.get_repository(ctx, added.id)
        await take_in(ctx.tx, repository, PULL_REQUEST, is_approval=False)
        change = await review_queries.find_latest_change(ctx, added.id, PULL_REQUEST.number)
        assert change is not None
        await review_queries.hold_pull(ctx, change, "a marker")
        remote = remote_repository.remote
        comment = PullComment(
            remote, PULL_REQUEST.number, "1", "octocat", "octocat", False, "/instep help", ctx.now
        )
        await take_comment(ctx.tx, repository, comment, None)
    return added.id


async def tasks_of(client: Client) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = (await client.get("/v1/tasks")).json()["results"]
    return rows
