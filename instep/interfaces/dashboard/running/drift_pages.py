"""Drift: what articles say and the code contradicts, and the checks of connected repositories."""

from itertools import groupby
from typing import Any

from starlette.responses import Response

from instep.drafting.drift.actions import find_last_check, list_waiting_drift
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.platform.identity.schemas import Ctx
from instep.platform.identity.scopes import Role
from instep.transfer.repositories import actions

router = PageRouter("health/checks")


async def show_drift(page: BotPage, views: list[tuple[str, str, bool]]) -> Response:
    """Open findings of checks against the code, by article."""
    waiting = await list_waiting_drift(page.ctx)
    return await page.show(
        "running/health_drift.html",
        groups=[list(group) for _, group in groupby(waiting, key=lambda row: row.article_id)],
        last_check=await find_last_check(page.ctx),
        views=views,
        **await values_of_checks(page.ctx, reloads_page=True),
    )


async def values_of_checks(
    ctx: Ctx, repository_id: str = "", *, reloads_page: bool = False
) -> dict[str, Any]:
    """The values of the part that shows the checks of all connected repositories, or of one."""
    rows = await actions.list_repositories(ctx)
    checks = [row for row in rows if repository_id in ("", row.id)]
    return {
        "checks": checks,
        "checked_repository": repository_id,
        "reloads_page": reloads_page,
        "is_checking": any(row.is_being_checked for row in checks),
        # The count of the last check is out of date once people have reviewed its findings.
        "has_drift": any(row.wrong_statements for row in checks) and bool(await list_waiting_drift(ctx)),
    }


@router.get()
async def show_checks(page: BotPage) -> Response:
    """The states of checks, for a page that waits for their end.

    Then the list of findings is reloaded as a whole. Other pages show secrets once, and hold typed text.
    """
    reloads_page = "reloads" in page.query
    values = await values_of_checks(page.ctx, page.query.get("repository", ""), reloads_page=reloads_page)
    response = page.show_part("running/drift_checks.html", **values)
    if reloads_page and not values["is_checking"]:
        response.headers["HX-Refresh"] = "true"
    return response


@router.post(role=Role.EDITOR)
async def check_now(page: BotPage) -> Response:
    await actions.check_repository(page.ctx, page.form.get("id", ""))
    return page.leave("health?by=drift")
