"""Runs administrative commands as the database's owner, also while servers are running."""

import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from instep.platform.core.database import Database, Tx
    from instep.platform.core.postgres import Postgres
    from instep.platform.identity.schemas import Bot, Ctx

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


@contextmanager
def local_postgres() -> "Iterator[Postgres]":
    """The database of the installation on this machine, with its schema up to date."""
    from instep.platform.migrations import migrate

    with installed_postgres() as postgres:
        migrate(postgres.url)
        yield postgres


@contextmanager
def installed_postgres() -> "Iterator[Postgres]":
    """The database of the installation on this machine.

    Refused if there is none, and INSTEP_URL names a server: the command would create an empty installation.
    """
    from instep.platform.core.config import settings
    from instep.platform.core.errors import InvalidRequest
    from instep.platform.core.postgres import has_database, running_postgres

    server = os.environ.get("INSTEP_URL")
    if server and not has_database(settings()):
        raise InvalidRequest(
            "This command works on an installation on this machine, and there is none. Run it on the machine"
            f" that serves {server}, or unset INSTEP_URL to create an installation here."
        )
    with running_postgres(settings()) as postgres:
        yield postgres


def as_owner(work: "Callable[[Tx], Awaitable[Result]]") -> Result:
    """Migrate the schema if necessary, then run the work in one transaction."""
    with local_postgres() as postgres:
        return work_at(postgres.url, work)


def work_at(url: str, work: "Callable[[Tx], Awaitable[Result]]") -> Result:
    """Run the work in one transaction of the database at this URL, whose schema is up to date."""
    import asyncio

    import psycopg

    from instep.platform.core.database import OUTAGES, Tx
    from instep.platform.core.outages import outage_of

    async def run() -> Result:
        try:
            async with await psycopg.AsyncConnection.connect(url) as connection:
                return await work(Tx(connection))
        except OUTAGES as error:
            raise outage_of(error) from error

    return asyncio.run(run())


def in_workspace(
    workspace: str | None,
    work: "Callable[Concatenate[Tx, str, Arguments], Awaitable[Result]]",
    *arguments: Arguments.args,
    **options: Arguments.kwargs,
) -> Result:
    """Run the work in the named workspace, or in the only one."""
    from instep.accounts.workspaces.actions import find_workspace

    async def run(tx: "Tx") -> Result:
        workspace_id = (await find_workspace(tx, workspace)).id
        # Statements name the workspace; the owner of the tables would see all others too.
        tx.workspace_id = workspace_id
        return await work(tx, workspace_id, *arguments, **options)

    return as_owner(run)


def in_bot(
    workspace: str | None,
    reference: str | None,
    work: "Callable[Concatenate[Ctx, Arguments], Awaitable[Result]]",
    *arguments: Arguments.args,
    **options: Arguments.kwargs,
) -> Result:
    """Run the work on the named bot, or on the only one."""

    async def run(tx: "Tx", workspace_id: str) -> Result:
        return await work(await ctx_of_bot(tx, workspace_id, reference), *arguments, **options)

    use_served_url()
    return in_workspace(workspace, run)


def with_bot(
    workspace: str | None, reference: str | None, work: "Callable[[Database, Bot], Awaitable[Result]]"
) -> Result:
    """Run the work on the named bot, or on the only one, with a pool of connections as a server has it."""
    import asyncio

    from instep.accounts.workspaces.actions import find_workspace
    from instep.platform.core.config import settings
    from instep.platform.core.database import Database
    from instep.platform.core.postgres import application_url

    async def find_bot(tx: "Tx") -> "Bot":
        return (await ctx_of_bot(tx, (await find_workspace(tx, workspace)).id, reference)).bot

    async def run(url: str, bot: "Bot") -> Result:
        database = Database(url, settings().database_pool)
        await database.open()
        try:
            return await work(database, bot)
        finally:
            await database.close()

    use_served_url()
    with local_postgres() as postgres:
        bot = work_at(postgres.url, find_bot)
        return asyncio.run(run(application_url(postgres), bot))


def use_served_url() -> None:
    """Make the links that a command prints point to the running server, on its current port."""
    from instep.platform.core.config import settings
    from instep.platform.core.served_url import served_url

    os.environ["INSTEP_SITE_URL"] = served_url(settings(), os.environ)
    settings.cache_clear()


async def ctx_of_bot(tx: "Tx", workspace_id: str, reference: str | None) -> "Ctx":
    """The context of an operator on the named bot, or on the only one of the workspace."""
    from instep.accounts.workspaces.queries import list_bots
    from instep.platform.core.errors import InvalidRequest

    if reference is not None:
        return await operator_ctx(tx, workspace_id, reference)
    bots = await list_bots(tx, workspace_id)
    if not bots:
        raise InvalidRequest("There is no bot yet: create one with `instep bot create NAME`.")
    if len(bots) > 1:
        raise InvalidRequest("Name the bot with --bot: `instep bot list` shows them.")
    return await operator_ctx(tx, workspace_id, str(bots[0].id))


async def operator_ctx(tx: "Tx", workspace_id: str, reference: str) -> "Ctx":
    """The context of an operator, on the bot of the workspace that has this id or slug."""
    from instep.accounts.workspaces.actions import find_bot_by_reference
    from instep.platform.core.clock import utc_now
    from instep.platform.identity.schemas import OPERATOR, Bot, Ctx

    row = await find_bot_by_reference(tx, workspace_id, reference)
    bot = Bot(row.id, row.workspace_id, row.slug, row.name, row.locale, row.domain)
    return Ctx(tx, bot, OPERATOR, utc_now())
