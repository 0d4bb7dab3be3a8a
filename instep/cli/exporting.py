"""`instep export`."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from instep.cli.asking import use_served_url
from instep.cli.options import AsJson, InBot, InWorkspace
from instep.cli.output import say

if TYPE_CHECKING:
    from instep.core.database import Tx
    from instep.exports.actions import Export
    from instep.exports.schemas import ExportOut


def export(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A file that ends in .zip, or a folder to make.")
    ],
    bot: InBot = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Write a whole help center as Markdown files, with its pictures, into a folder or a zip.

    Any Markdown editor and git host reads it, and `instep import` takes it back as it is.
    """
    import asyncio

    from instep.cli.admin_session import ctx_of_bot, work_at
    from instep.core.config import settings
    from instep.core.postgres import application_url, running_postgres
    from instep.exports.actions import prepare_export
    from instep.migrations import migrate
    from instep.workspaces.actions import find_workspace

    async def prepare(tx: "Tx") -> "Export":
        workspace_id = (await find_workspace(tx, workspace)).id
        return await prepare_export(await ctx_of_bot(tx, workspace_id, bot))

    use_served_url()
    with running_postgres(settings()) as postgres:
        migrate(postgres.url)
        prepared = work_at(postgres.url, prepare)
        size = asyncio.run(write(prepared, application_url(postgres), path))
    out = prepared.summary(str(path), size)
    say(out, as_text(out), as_json)


async def write(prepared: "Export", url: str, path: Path) -> int:
    """Write the files as the application reads them; the number of bytes."""
    from instep.core.config import settings
    from instep.core.database import Database
    from instep.exports.archive import write_export
    from instep.files.storage import open_storages

    database = Database(url, size=1)
    await database.open()
    try:
        with progress(len(prepared.parts)) as advance:
            storages = open_storages(settings(), database)
            return await write_export(prepared, database, storages, path, advance)
    finally:
        await database.close()


@contextmanager
def progress(files: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal, and nothing elsewhere."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("Exporting", total=files)
        yield lambda: bar.advance(task)


def as_text(out: "ExportOut") -> str:
    """What the export holds, and what it leaves out."""
    counts = (
        (out.articles, "article", "articles"),
        (out.translations, "translation", "translations"),
        (out.collections, "collection", "collections"),
        (out.changelog_entries, "changelog entry", "changelog entries"),
        (out.files, "file", "files"),
        (out.redirects, "redirect", "redirects"),
        (out.golden_questions, "golden question", "golden questions"),
    )
    parts = ", ".join(f"{count:,} {singular if count == 1 else plural}" for count, singular, plural in counts)
    lines = [f"{out.path} holds {parts}."]
    if out.unpublished_changes:
        lines.append(
            f"Unpublished changes in the editor are not in it: {out.unpublished_changes:,} "
            f"{'article has' if out.unpublished_changes == 1 else 'articles have'} some."
        )
    return "\n".join(lines)
