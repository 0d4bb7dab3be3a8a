"""Redirects of the help center's former addresses elsewhere."""

from starlette.responses import Response
from starlette.routing import Route

from instep.content.redirects import actions
from instep.content.redirects.schemas import Redirect, RedirectCreate
from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.interfaces.dashboard.running.listing import links_between
from instep.interfaces.dashboard.settings.frame import attempt, show_settings
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role
from instep.platform.web.bodies import body_from

PATH = "/app/{bot_slug}/settings/redirects"


@bot_page("settings")
async def show_redirects(page: BotPage) -> Response:
    return await redirects(page)


async def redirects(page: BotPage, refusal: AppError | None = None) -> Response:
    words = page.query.get("q", "").replace("\0", " ")[: limits.MAX_QUERY_CHARACTERS].strip()
    rows = await actions.find_redirects(page.ctx, words, page.rows_at_cursor())
    return await show_settings(
        page,
        "redirects",
        "redirects.html",
        refusal,
        redirects=rows.rows,
        words=words,
        links=links_between(page, "settings/redirects", rows.next_cursor, q=words),
        max_query_characters=limits.MAX_QUERY_CHARACTERS,
        titles=await actions.titles_of_targets(page.ctx, rows.rows),
    )


@bot_page("settings", Role.EDITOR)
async def add_redirect(page: BotPage) -> Response:
    outcome = await attempt(page, make_redirect(page))
    if isinstance(outcome, AppError):
        return await redirects(page, outcome)
    return page.leave("settings/redirects", f"{outcome.source} is now redirected.")


async def make_redirect(page: BotPage) -> Redirect:
    """Create a redirect; a target with `://` in it, or a path, is a URL; any other names an article."""
    target = page.form.get("target", "").strip()
    kind = "url" if "://" in target or target.startswith("/") else "articleId"
    body = body_from(RedirectCreate, {"from": page.form.get("from", "").strip(), kind: target})
    return await actions.create_redirect(page.ctx, body)


@bot_page("settings", Role.EDITOR)
async def remove_redirect(page: BotPage) -> Response:
    outcome = await attempt(page, actions.delete_redirect(page.ctx, page.form.get("id", "")))
    if isinstance(outcome, AppError):
        return await redirects(page, outcome)
    return page.leave("settings/redirects", "Deleted: that address is no longer redirected.")


routes = [
    Route(PATH, show_redirects, methods=["GET"]),
    Route(PATH, add_redirect, methods=["POST"]),
    Route(f"{PATH}/remove", remove_redirect, methods=["POST"]),
]
