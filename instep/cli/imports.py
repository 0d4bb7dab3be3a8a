"""`instep import`: imports articles from a folder, an archive or another product into a bot."""

import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from instep.cli.admin_session import with_bot
from instep.cli.options import AsJson, InBot, InWorkspace
from instep.platform.core.errors import InvalidRequest

if TYPE_CHECKING:
    from instep.platform.core.database import Database
    from instep.platform.identity.schemas import Bot
    from instep.transfer.imports.schemas import ImportReport, Plan
    from instep.transfer.imports.source.source_reading import Source
    from instep.transfer.imports.write.running import Tell

NOTHING_NEW = "Nothing to do: everything here already matches the source."
ADDRESSES = ("http://", "https://")


def import_articles(
    source: Annotated[
        str,
        typer.Argument(
            metavar="PATH|URL",
            help="A folder, a ZIP archive, an OpenAPI document, or the URL of one of them.",
        ),
    ],
    bot: InBot = None,
    format: Annotated[
        str | None, typer.Option("--from", help="The format, if it can't be detected from the source.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be imported without importing.")
    ] = False,
    site: Annotated[
        str | None,
        typer.Option(
            "--site", help="The address of the old site, such as https://example.com/docs or /docs."
        ),
    ] = None,
    prunes: Annotated[
        bool, typer.Option("--prune", help="Archive articles that the source no longer has.")
    ] = False,
    is_agreed: Annotated[bool, typer.Option("--yes", help="Import without asking.")] = False,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Import articles with their collections, links, images, languages and old addresses.

    Imports into the installation on this machine. In a terminal, shows the plan and asks for confirmation.

    Importing the same source again writes only the changes; a text changed on both sides becomes a draft.

    --prune archives articles that are gone from the source, except those that someone has changed here.

    An interrupted import continues when it is started again.
    """
    from instep.platform.identity.schemas import OPERATOR
    from instep.transfer.imports.actions import valid_site
    from instep.transfer.imports.plan.source_planning import plan_source
    from instep.transfer.imports.tree.schemas import UnreadableSource

    asks = not (is_agreed or as_json) and sys.stdin.isatty() and sys.stdout.isatty()

    async def run(database: "Database", found_bot: "Bot") -> None:
        async with opened_source(source, format) as opened:
            served = replace(opened, site=valid_site(site))
            payload = {"workspace": found_bot.workspace_id, "bot": str(found_bot.id)}
            plan = await plan_source(database, payload, OPERATOR, served, format, prunes=prunes)
            await import_source(database, found_bot, served, plan, dry_run, asks, as_json)

    try:
        with_bot(workspace, bot, run)
    except UnreadableSource as error:
        raise InvalidRequest(str(error)) from None


async def import_source(
    database: "Database",
    bot: "Bot",
    source: "Source",
    plan: "Plan",
    dry_run: bool,
    asks: bool,
    as_json: bool,
) -> None:
    if dry_run:
        say_report(plan.report, as_json, import_id=None)
        return
    if asks:
        say_report(plan.report, as_json=False, import_id=None)
        if not plan.report.changes_nothing:
            typer.confirm("\nImport this?", abort=True)
    told_losses = len(plan.report.losses)
    import_id, report = await run_import(database, bot, source, plan)
    # People who have just read the plan only need the parts of the report that differ from it.
    if not asks or len(report.losses) > told_losses:
        say_report(report, as_json, import_id, has_tree=False)
    if not as_json:
        typer.echo(NOTHING_NEW if report.changes_nothing else f"Imported: {bot.help_url}/")


async def run_import(
    database: "Database", bot: "Bot", source: "Source", plan: "Plan"
) -> "tuple[str | None, ImportReport]":
    """Import a plan, with its progress in a database row; a plan without changes gets no row."""
    from instep.content.files.storage import open_storages
    from instep.platform.core.config import settings
    from instep.platform.identity.job_context import job_context
    from instep.platform.identity.schemas import OPERATOR
    from instep.transfer.imports import actions
    from instep.transfer.imports.write.running import ImportRun, run_plan

    if plan.report.changes_nothing:
        return None, plan.report
    payload = {"workspace": bot.workspace_id, "bot": str(bot.id)}
    async with job_context(database, payload, OPERATOR) as ctx, ctx.tx.transaction():
        row = await actions.begin_by_command(
            ctx, source.name, plan.tree.format, plan.source, plan.total, source.site
        )
    storage = open_storages(settings(), database).for_new_files
    with progress(plan.total) as tell:
        run = ImportRun(*(database, storage, bot, OPERATOR, row.id, plan, source.open()), tell=tell)
        report = await run_plan(run)
    async with job_context(database, payload, OPERATOR) as ctx, ctx.tx.transaction():
        await actions.end_by_command(ctx, row.id, report)
    return row.id, report


@asynccontextmanager
async def opened_source(source: str, format: str | None) -> "AsyncIterator[Source]":
    """The folder or archive that an argument names; downloads stay in the data folder until the end."""
    if source.startswith(ADDRESSES):
        async with fetched_source(source, format) as fetched:
            yield fetched
    else:
        yield local_source(Path(source))


def local_source(path: Path) -> "Source":
    from instep.platform.core import limits
    from instep.transfer.imports.source.source_reading import Source

    if path.is_dir():
        return Source(path.resolve().name, folder=path.resolve())
    if not path.is_file():
        raise InvalidRequest(f"{path} is neither a folder nor an archive.")
    if path.stat().st_size > limits.MAX_IMPORT_DOWNLOAD_BYTES:
        raise InvalidRequest(
            f"{path} is larger than {limits.MAX_IMPORT_DOWNLOAD_BYTES // 1024**2} MB: unpack it."
        )
    return Source(path.name, archive=path.read_bytes())


@asynccontextmanager
async def fetched_source(url: str, format: str | None) -> "AsyncIterator[Source]":
    """The answers of a product's API as files, or the archive at the URL."""
    from contextlib import aclosing
    from urllib.parse import urlsplit

    from instep.platform.core.config import settings
    from instep.platform.core.outbound.client import OutboundClient
    from instep.platform.core.progress import tell
    from instep.transfer.imports.fetchers.products import fetch_source, find_fetcher
    from instep.transfer.imports.source.source_reading import Source, download_archive

    fetcher = find_fetcher(url, format)
    async with aclosing(OutboundClient(settings().allow_list)) as client:
        if fetcher is None:
            name = urlsplit(url).path.rpartition("/")[2] or urlsplit(url).netloc
            yield Source(name, archive=await download_archive(client, url))
            return
        settings().data_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=settings().data_dir, prefix="import-") as folder:
            key = os.environ.get("INSTEP_IMPORT_KEY")
            await fetch_source(client, fetcher, url, key, Path(folder), tell)
            yield Source(urlsplit(url).netloc, folder=Path(folder))


@contextmanager
def progress(total: int) -> "Iterator[Tell]":
    """A progress bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with typer.progressbar(length=total, label="Importing", file=sys.stderr) as bar:
        yield lambda done, total: bar.update(done - bar.pos)


def say_report(
    report: "ImportReport", as_json: bool, import_id: str | None, *, has_tree: bool = True
) -> None:
    from instep.transfer.imports import report_forms

    if as_json:
        typer.echo(json.dumps({"importId": import_id, **report_forms.as_json(report)}))
        return
    typer.echo(report_forms.as_text(report, has_tree=has_tree))
    typer.echo("")
