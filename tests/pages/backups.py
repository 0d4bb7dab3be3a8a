"""An installation with daily backups: its owner and the result of the last backup."""

from typing import TYPE_CHECKING

from playwright.async_api import Page

from instep.accounts.workspaces.actions import create_bot, create_workspace
from instep.platform.core.database import Tx
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role
from tests.pages.help_center import Site
from tests.support.oauth import begin_session
from tests.support.sign_in import sign_up

if TYPE_CHECKING:
    from tests.support.stage import Stage


async def fill_backed_up(owner: Tx, url: str) -> Site:
    """Create one help center and its owner, Beate."""
    workspace = await create_workspace(owner, "Westwind")
    await create_bot(owner, workspace.id, "Westwind", "westwind", "en")
    user = await sign_up(owner, workspace.id, Role.OWNER, "beate@westwind.example")
    session = await begin_session(owner, Person(user.id, workspace.id, user.email, Role.OWNER))
    return Site(url, sessions={"beate": session})


async def make_backup(page: Page, stage: "Stage") -> None:
    """Show the settings after a successful backup, whatever happened before."""
    await record(page, stage, "instep-2026-11-22.backup", None)


async def fail_backup(page: Page, stage: "Stage") -> None:
    await record(page, stage, None, "The bucket is not there.")


async def record(page: Page, stage: "Stage", name: str | None, error: str | None) -> None:
    async with stage.owner("backed up") as owner:
        await owner.execute("delete from backup_runs")
        await owner.execute(
            "insert into backup_runs (began_at, ended_at, name, error) "
            "values (now(), now(), %(name)s, %(error)s)",
            name=name,
            error=error,
        )
    await page.reload()
