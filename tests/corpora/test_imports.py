"""Real documentation trees: what comes of them, that no link breaks, and that old addresses lead on."""

import json
import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest
from fastapi import FastAPI

from instep.core import limits
from instep.core.config import settings
from instep.core.database import Database, Tx
from instep.files.storage import open_storages
from instep.identity.job_context import job_context
from instep.identity.queries import find_bot
from instep.imports import actions
from instep.imports.addresses import PAGE_EXTENSION
from instep.imports.planning import plan
from instep.imports.running import ImportRun, run_plan, work_of
from instep.imports.schemas import ImportReport, Plan
from instep.imports.source_files import open_folder
from instep.imports.source_reading import Source, read_now
from tests.imports.bringing import IMPORTER
from tests.support.cast import Api, Cast
from tests.support.http import stranger

pytestmark = pytest.mark.corpora

IMPORTS = Path(__file__).parents[3] / "shared" / "data" / "imports"
# Single exports of products have tests of their own; they have no lists of pages.
FOLDERS = sorted(
    path.parent.name for path in IMPORTS.glob("*/expected.json") if '"lists"' in path.read_text()
)
BROKEN = "link that leads nowhere: "
NO_PICTURE = "picture that is not in the source: "
# Folders that declare no order: files are listed by their names, which may be compared in two ways.
WITHOUT_ORDER = {"zendesk-markdown"}
# The licence was put beside the pages with another name than the one that they link to.
ADDED_FILES = {("wiki", "LICENSE")}
ARTICLE_LINK = re.compile(r'<a[^>]* href="(/help/[^"]*)"')
PICTURE = re.compile(r'<img[^>]* src="(/files/[^"]*)"')
ID = re.compile(r' id="([^"]+)"')


class Imported:
    """A tree that was imported into a bot of its own, and what was expected of it."""

    def __init__(self, name: str, plan: Plan, report: ImportReport) -> None:
        self.name = name
        self.plan = plan
        self.report = report
        self.paths = list(open_folder(IMPORTS / name / "tree").paths())
        self.stems = {PAGE_EXTENSION.sub("", path).removesuffix("/index") for path in self.paths}
        self.expected: dict[str, Any] = json.loads((IMPORTS / name / "expected.json").read_text())

    @property
    def lists(self) -> dict[str, Any]:
        lists: dict[str, Any] = self.expected.get("lists", {})
        return lists


async def bring(database: Database, cast: Cast, name: str) -> Imported:
    source = Source(name, folder=IMPORTS / name / "tree")
    read = read_now(source, None)
    payload = {"workspace": cast.acme.workspace_id, "bot": str(cast.acme.bot_id)}
    async with job_context(database, payload, IMPORTER) as ctx:
        state = await actions.state_for_plan(ctx, read.source)
    files = source.open()
    planned = plan(read.tree, files, state, read.source)
    if planned.report.changes_nothing:
        return Imported(name, planned, planned.report)
    work = work_of(planned)
    async with job_context(database, payload, IMPORTER) as ctx, ctx.tx.transaction():
        row = await actions.begin_by_command(ctx, name, read.tree.format, read.source, work.total)
        bot = await find_bot(ctx.tx, cast.acme.bot_id)
    storage = open_storages(settings(), database).for_new_files
    run = ImportRun(
        *(database, storage, bot, IMPORTER, row.id, planned, files, work), tell=lambda done, total: None
    )
    return Imported(name, planned, await run_plan(run))


def markdown_pages(imported: Imported) -> list[dict[str, Any]]:
    """The pages of the figures; a name that begins with a dot is that of a part, which others include."""
    rows: list[dict[str, Any]] = imported.lists.get("pages", [])
    return [row for row in rows if not posixpath.basename(row["path"]).startswith(".")]


@pytest.mark.parametrize("name", FOLDERS)
async def test_a_tree_comes_whole_and_only_once(
    app: FastAPI, api: Api, database: Database, owner: Tx, cast: Cast, name: str
) -> None:
    imported = await bring(database, cast, name)
    report = imported.report

    assert report.pages.failed == 0, [loss for loss in report.losses if "whole page" in loss.what]
    assert missing_pages(imported) == []
    assert wrong_locales(imported) == []
    site = await texts(owner, cast)
    assert list(dead_links(site, cast)) == []
    assert await dead_pictures(owner, cast, site) == []
    assert newly_broken(imported) == []
    assert lost_pictures(imported) == []
    assert out_of_order(imported) == []
    assert await dead_addresses(app, cast, imported) == []

    before = await writes(owner, cast)
    again = await bring(database, cast, name)
    assert again.report.changes_nothing
    assert await writes(owner, cast) == before


def missing_pages(imported: Imported) -> list[str]:
    paths = {page.page.path for page in imported.plan.pages} | {
        row.path for row in imported.plan.tree.entries
    }
    return [row["path"] for row in markdown_pages(imported) if row["path"] not in paths]


def wrong_locales(imported: Imported) -> list[tuple[str, str, str]]:
    locales = {page.page.path: page.locale for page in imported.plan.pages}
    return [
        (row["path"], row["locale"], locales[row["path"]])
        for row in markdown_pages(imported)
        if row["path"] in locales and row["locale"].lower() != locales[row["path"]].lower()
    ]


async def texts(owner: Tx, cast: Cast) -> dict[str, str]:
    """The HTML of every article, by its path below the root of the installation."""
    rows: dict[str, str] | None = await owner.value(
        """
        select jsonb_object_agg('/help/' || %(slug)s::text
            || case when locale = 'en' then '' else '/' || locale end || '/articles/' || slug, content_html)
        from articles where bot_id = %(bot)s
        """,
        bot=cast.acme.bot_id,
        slug=cast.acme.slug,
    )
    return rows or {}


def dead_links(site: dict[str, str], cast: Cast) -> Iterator[tuple[str, str]]:
    """Links between our articles that lead to no article, or to no place in it that was there."""
    for path, html in site.items():
        for href in ARTICLE_LINK.findall(html):
            address, _ = urldefrag(unquote(href))
            if address not in site and address != f"/help/{cast.acme.slug}/":
                yield path, href


async def dead_pictures(owner: Tx, cast: Cast, site: dict[str, str]) -> list[str]:
    digests = {
        match[1] for html in site.values() for match in re.finditer(r"/files/[^/]+/([0-9a-f]{64})\.", html)
    }
    stored = await owner.value(
        "select array_agg(sha256) from files where bot_id = %(bot)s", bot=cast.acme.bot_id
    )
    return sorted(digests - set(stored or ()))


def newly_broken(imported: Imported) -> list[str]:
    """Links that the report calls broken, that the figures of the source do not, and that name a file of it.

    Of what pages link to, the corpus leaves much out: such links can't work, whoever imports them.
    """
    broken = {(path, bare(link)) for path, link in imported.lists.get("broken_links", [])}
    told = [
        (loss.path, bare(loss.what.removeprefix(BROKEN)))
        for loss in imported.report.losses
        if loss.what.startswith(BROKEN)
    ]
    return [
        f"{path}: {link}"
        for path, link in told
        if (path, link) not in broken and "://" not in link and is_here(imported, path, link)
    ]


def is_here(imported: Imported, path: str, link: str) -> bool:
    if (imported.name, link) in ADDED_FILES:
        return False
    name = PAGE_EXTENSION.sub(
        "", posixpath.normpath(posixpath.join(posixpath.dirname(path), link)).strip("./")
    )
    return bool(name) and any(stem == name or stem.endswith(f"/{name}") for stem in imported.stems)


def lost_pictures(imported: Imported) -> list[str]:
    """Pictures that the report misses though the tree has them, by their names."""
    names = {name_of(path) for path in imported.paths}
    told = [loss for loss in imported.report.losses if loss.what.startswith(NO_PICTURE)]
    return [
        f"{loss.path}: {loss.what}" for loss in told if name_of(loss.what.removeprefix(NO_PICTURE)) in names
    ]


def name_of(path: str) -> str:
    return bare(path).rpartition("/")[2]


def bare(link: str) -> str:
    """A link without its place, as the figures and the report may write it differently."""
    return unquote(urldefrag(link).url).partition("?")[0]


def out_of_order(imported: Imported) -> list[tuple[str, str]]:
    """Neighbours in one collection that the navigation of the source has the other way round."""
    if imported.name in WITHOUT_ORDER:
        return []
    places = {
        row["page"]: number
        for number, row in reversed(list(enumerate(imported.lists.get("navigation", []))))
        if row["page"]
    }
    groups: dict[str | None, list[str]] = {}
    for page in imported.plan.pages:
        if page.original_key is None and page.page.path in places:
            groups.setdefault(page.page.collection, []).append(page.page.path)
    return [
        (first, second)
        for paths in groups.values()
        for first, second in pairwise(paths)
        if places[first] > places[second]
    ]


async def dead_addresses(app: FastAPI, cast: Cast, imported: Imported) -> list[tuple[str, int]]:
    """Old addresses, of pages and redirects, that do not lead to an article at once."""
    by_path = {page.page.path: page for page in imported.plan.pages}
    addresses = [(row["url"], row["path"]) for row in markdown_pages(imported) if row.get("url")]
    addresses += [(row["from"], None) for row in imported.lists.get("redirects", []) if row["resolves"]]
    dead = []
    for address, path in addresses:
        page = by_path.get(path)
        is_hidden = page is not None and (page.page.status == "draft" or page.page.visibility != "public")
        if address.strip("/") == "" or is_hidden:
            continue
        # Each visitor may open so many pages a minute; so each address has one of its own.
        async with stranger(app) as visitor:
            answer = await visitor.get(f"/help/{cast.acme.slug}{address}")
            if answer.status_code == 301:
                answer = await visitor.get(answer.headers["Location"])
                if answer.status_code == 200:
                    continue
            dead.append((address, answer.status_code))
    return dead[: limits.MAX_PAGE_SIZE]


async def writes(owner: Tx, cast: Cast) -> str:
    """What any write to the bot changes."""
    state: str = await owner.value(
        """
        select (b.changed_at, (select count(*) from audit_entries where bot_id = b.id),
            (select count(*) from revisions where bot_id = b.id),
            (select count(*) from files where bot_id = b.id))::text
        from bots b where b.id = %(bot)s
        """,
        bot=cast.acme.bot_id,
    )
    return state
