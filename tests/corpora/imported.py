"""Imports of whole sources into a bot, and the pages that its help center then serves."""

import re
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import unquote, urldefrag, urlsplit

from fastapi import FastAPI

from instep.content.files.storage import open_storages
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.identity.job_context import job_context
from instep.platform.identity.queries import find_bot
from instep.transfer.imports import actions, queries
from instep.transfer.imports.plan.planning import plan
from instep.transfer.imports.schemas import ImportReport, Plan, PlannedPage
from instep.transfer.imports.source.source_reading import Source, read_now
from instep.transfer.imports.write.running import ImportRun, run_plan
from tests.support.bringing import IMPORTER
from tests.support.cast import Company
from tests.support.http import stranger

LINK = re.compile(r'<a[^>]* href="([^"]*)"')
ID = re.compile(r' id="([^"]+)"')


@dataclass(frozen=True)
class Imported:
    """An imported source: the plan, and the report."""

    company: Company
    plan: Plan
    report: ImportReport

    def address_of(self, page: PlannedPage) -> str:
        """The address where visitors find the page."""
        language = "" if page.locale in (None, "en") else f"/{page.locale}"
        return f"/help/{self.company.slug}{language}/articles/{page.slug}"

    @property
    def public_pages(self) -> list[PlannedPage]:
        return [
            page
            for page in self.plan.pages
            if page.page.status == "published" and page.page.visibility != "authenticated"
        ]


@dataclass
class Site:
    """The ids and links in each article page that visitors can open, by address."""

    ids: dict[str, set[str]] = field(default_factory=dict)
    links: dict[str, list[str]] = field(default_factory=dict)


async def bring(database: Database, company: Company, source: Source) -> Imported:
    """Import a source as the command does, in this process."""
    read = read_now(source, None)
    payload = {"workspace": company.workspace_id, "bot": str(company.bot_id)}
    async with job_context(database, payload, IMPORTER) as ctx:
        state = await queries.find_state(ctx, read.source, ())
    files = source.open()
    planned = plan(read.tree, files, state, read.source)
    if planned.report.changes_nothing:
        return Imported(company, planned, planned.report)
    async with job_context(database, payload, IMPORTER) as ctx, ctx.tx.transaction():
        row = await actions.begin_by_command(ctx, source.name, read.tree.format, read.source, planned.total)
        bot = await find_bot(ctx.tx, company.bot_id)
    storage = open_storages(settings(), database).for_new_files
    run = ImportRun(
        *(database, storage, bot, IMPORTER, row.id, planned, files), tell=lambda done, total: None
    )
    return Imported(company, planned, await run_plan(run))


async def open_site(app: FastAPI, imported: Imported) -> Site:
    """Open each article as a visitor; pages that are not shown are missing from the site."""
    site = Site()
    for page in imported.public_pages:
        address = imported.address_of(page)
        # Visitors have a rate limit, so each page is opened by another one.
        async with stranger(app) as visitor:
            answer = await visitor.get(address)
        if answer.status_code == 200:
            site.ids[address] = set(ID.findall(answer.text))
            site.links[address] = [unescape(href) for href in LINK.findall(answer.text)]
    return site


def dead_links(imported: Imported, site: Site) -> list[tuple[str, str]]:
    """Links to missing articles or missing anchors, except the anchors listed in the report."""
    help_center = f"/help/{imported.company.slug}"
    hidden = {imported.address_of(page) for page in imported.plan.pages} - site.ids.keys()
    return [
        (address, link)
        for address, links in site.links.items()
        for link in links
        if link.startswith((f"{help_center}/", "#"))
        if not leads_somewhere(link, address, site, hidden)
    ]


def leads_somewhere(link: str, address: str, site: Site, hidden: set[str]) -> bool:
    rest, fragment = urldefrag(link)
    target = unquote(rest) or address
    if target in hidden or "/articles/" not in target or target.endswith(".md"):
        return True
    return target in site.ids and (
        not fragment or fragment.startswith(":~:") or unquote(fragment) in site.ids[target]
    )


async def dead_addresses(
    app: FastAPI, imported: Imported, site: Site, addresses: list[tuple[str, str | None]]
) -> list[tuple[str, str]]:
    """Former addresses that do not redirect directly to their article.

    Each comes with the path of its page in the source, or None if any article is acceptable.
    """
    by_path = {page.page.path: page for page in imported.plan.pages}
    hidden = {page.page.path for page in imported.plan.pages} - {
        page.page.path for page in imported.public_pages
    }
    dead = []
    for former, path in addresses:
        if former.strip("/") == "" or path in hidden:
            continue
        async with stranger(app) as visitor:
            answer = await visitor.get(f"/help/{imported.company.slug}{former}")
            if answer.headers.get("location") == f"/help/{imported.company.slug}{former.rstrip('/')}":
                # The help center has its own page at this address without the trailing slash.
                answer = await visitor.get(answer.headers["location"])
        location = unquote(urlsplit(answer.headers.get("location", "")).path)
        # If the source has two pages at one address, either is acceptable.
        same = [by_path[other] for row, other in addresses if other in by_path and is_same(row, former)]
        expected = [imported.address_of(page) for page in same] if path in by_path else site.ids
        if answer.status_code != 301 or location not in expected or location not in site.ids:
            dead.append((former, f"{answer.status_code} {location}"))
    return dead


def is_same(address: str, other: str) -> bool:
    return address.rstrip("/").lower() == other.rstrip("/").lower()


async def orders(owner: Tx, company: Company) -> list[list[str]]:
    """The keys of articles other than translations, in order, by collection."""
    rows: list[list[str]] | None = await owner.value(
        """
        select jsonb_agg(keys) from (
            select jsonb_agg(r.key order by a.position, a.id) as keys
            from import_refs r join articles a on a.bot_id = r.bot_id and a.id = r.article_id
            where r.bot_id = %(bot)s and a.collection_id is not null and a.translation_of is null
            group by a.collection_id) c
        """,
        bot=company.bot_id,
    )
    return rows or []


async def writes(owner: Tx, company: Company) -> str:
    """A value that changes with every write to the bot."""
    state: str = await owner.value(
        """
        select (b.changed_at, (select count(*) from audit_entries where bot_id = b.id),
            (select count(*) from revisions where bot_id = b.id),
            (select count(*) from files where bot_id = b.id))::text
        from bots b where b.id = %(bot)s
        """,
        bot=company.bot_id,
    )
    return state
