"""`instep export`."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from instep.cli.admin_session import with_bot
from instep.cli.options import AsJson, InBot, InWorkspace
from instep.cli.output import say

if TYPE_CHECKING:
    from instep.platform.core.database import Database
    from instep.platform.identity.schemas import Bot
    from instep.transfer.exports.schemas import ExportOut


def export(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A .zip file or a folder to create.")],
    bot: InBot = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Write a whole help center as Markdown files, with its images, into a folder or a ZIP file.

    Works on the installation on this machine. Any Markdown editor and git host can read the files, and
    `instep import` can import them again.
    """

    async def run(database: "Database", found_bot: "Bot") -> "ExportOut":
        return await write(database, found_bot, path)

    out = with_bot(workspace, bot, run)
    say(out, as_text(out), as_json)


async def write(database: "Database", bot: "Bot", path: Path) -> "ExportOut":
    from instep.content.files.storage import open_storages
    from instep.platform.core.clock import utc_now
    from instep.platform.core.config import settings
    from instep.platform.identity.schemas import OPERATOR, Ctx
    from instep.transfer.exports.actions import prepare_export
    from instep.transfer.exports.archive import write_export

    async with database.enter_workspace(bot.workspace_id) as tx, tx.transaction():
        prepared = await prepare_export(Ctx(tx, bot, OPERATOR, utc_now()))
    with progress(len(prepared.parts)) as advance:
        storages = open_storages(settings(), database)
        size = await write_export(prepared, database, storages, path, advance)
    return prepared.summary(str(path), size)


@contextmanager
def progress(files: int) -> Iterator[Callable[[], None]]:
    """A progress bar on a terminal, and nothing elsewhere."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("Exporting", total=files)
        yield lambda: bar.advance(task)


def as_text(out: "ExportOut") -> str:
    """The summary of an export: its contents, and what it leaves out."""
    counts = (
        (out.articles, "article", "articles"),
        (out.translations, "translation", "translations"),
        (out.collections, "collection", "collections"),
        (out.changelog_entries, "changelog entry", "changelog entries"),
        (out.files, "file", "files"),
        (out.redirects, "redirect", "redirects"),
        (out.golden_questions, "golden question", "golden questions"),
        (out.parts, "part or variable", "parts and variables"),
    )
    parts = ", ".join(f"{count:,} {singular if count == 1 else plural}" for count, singular, plural in counts)
    lines = [f"{out.path} contains {parts}."]
    if out.unpublished_changes:
        lines.append(
            f"Unpublished changes in the editor are not included: {out.unpublished_changes:,} "
            f"{'article has' if out.unpublished_changes == 1 else 'articles have'} some."
        )
    if out.missing_files:
        lines.append(
            "These files are left out because they were deleted or the storage no longer has them: "
            f"{', '.join(out.missing_files)}."
        )
    return "\n".join(lines)
