"""Servers for browser tests: real processes with their own settings and databases."""

import os
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from instep.accounts.people.first_person import new_setup_link
from instep.accounts.workspaces.actions import create_bot, create_workspace
from instep.platform.core.database import Tx
from instep.platform.core.embedded import EmbeddedPostgres
from tests.pages.backups import fill_backed_up
from tests.pages.help_center import Site, fill
from tests.pages.widget import add_host_pages
from tests.support.databases import create_database
from tests.support.host_pages import host_site
from tests.support.installation import installed

UNLIMITED = {"INSTEP_PUBLIC_REQUESTS_PER_MINUTE": "100000", "INSTEP_ANONYMOUS_REQUESTS_PER_MINUTE": "100000"}
# These servers run no jobs, so no email is sent.
EMAIL = {"INSTEP_SMTP_URL": "smtp://127.0.0.1:9", "INSTEP_EMAIL_FROM": "Nordwind <help@nordwind.example>"}
# In this order: no bots, several workspaces, all features, daily backups, nearly at a limit, no database.
SETTINGS = {
    "empty": UNLIMITED,
    "shared": UNLIMITED,
    "filled": UNLIMITED | EMAIL | {"INSTEP_DEVELOPMENT": "true"},
    "backed up": UNLIMITED | {"INSTEP_BACKUPS": "s3://backups"},
    "limited": {"INSTEP_PUBLIC_REQUESTS_PER_MINUTE": "1"},
    "broken": UNLIMITED,
}


class Stage:
    """Starts each server when one of its pages is first opened."""

    def __init__(self, cluster: EmbeddedPostgres, exits: ExitStack) -> None:
        self.cluster = cluster
        self.exits = exits
        self.sites: dict[str, Site] = {}

    async def site(self, name: str) -> Site:
        """The server with this name in `SETTINGS`, or "host", which serves customer pages with the widget."""
        if name not in self.sites:
            self.sites[name] = await self.start(name)
        elif self.sites[name].sessions:
            await self.prove_again(name)
        return self.sites[name]

    async def prove_again(self, name: str) -> None:
        """Renew every session's recent sign-in, which expires before a run through all pages ends."""
        async with self.owner(name) as owner:
            await owner.execute("update sessions set verified_at = now()")

    @asynccontextmanager
    async def owner(self, name: str) -> AsyncIterator[Tx]:
        """A connection to this server's database as its owner, which bypasses row-level security."""
        database_url = make_conninfo(self.cluster.url, dbname=database_name(name))
        async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as connection:
            yield Tx(connection)

    async def start_host(self) -> Site:
        filled = await self.site("filled")
        hosts = self.exits.enter_context(host_site())
        async with self.owner("filled") as owner:
            return Site(hosts.origin, paths=await add_host_pages(owner, hosts, filled.url))

    async def start(self, name: str) -> Site:
        if name == "host":
            return await self.start_host()
        # An earlier start may have failed on a busy machine.
        self.drop_database(database_name(name))
        database_url = create_database(self.cluster, database_name(name))
        installation = self.exits.enter_context(installed(INSTEP_DATABASE_URL=database_url, **SETTINGS[name]))
        installation.serve("--no-jobs")
        async with self.owner(name) as owner:
            if name == "filled":
                return await fill(owner, installation.url)
            if name == "backed up":
                return await fill_backed_up(owner, installation.url)
            if name == "shared":
                for customer in ("Nordwind", "Noor"):
                    workspace = await create_workspace(owner, customer)
                    await create_bot(owner, workspace.id, customer, None, "en")
            paths = {"setup": await new_setup_link(owner) or ""} if name == "empty" else {}
        if name == "broken":
            self.drop_database(database_name(name))
        return Site(installation.url, paths=paths)

    def drop_database(self, name: str) -> None:
        with psycopg.connect(self.cluster.url, autocommit=True) as connection:
            connection.execute(
                sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name))
            )


def database_name(site: str) -> str:
    """The name of a server's database in this test process."""
    return f"stage_{site.replace(' ', '_')}_{os.getpid()}"
