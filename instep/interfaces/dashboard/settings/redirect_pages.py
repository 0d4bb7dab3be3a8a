"""Redirects of the help center's former addresses elsewhere."""

from starlette.responses import Response

from instep.content.redirects import actions
from instep.content.redirects.schemas import RedirectCreate
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.running.listing import links_between
from instep.interfaces.dashboard.settings.frame import show_settings
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role
from instep.platform.web.errors import body_from

router = PageRouter("settings/redirects")


@router.get()
async def show_redirects(page: BotPage, refusal: AppError | None = None) -> Response:
    words = page.query.get("q", "").replace("\0", " ")[: limits.MAX_QUERY_CHARACTERS].strip()
    rows = await actions.find_redirects(page.ctx, words, page.rows_at_cursor())
    return await show_settings(
        page,
        "redirects",
        refusal,
        redirects=rows.rows,
        words=words,
        links=links_between(page, "settings/redirects", rows.next_cursor, q=words),
        max_query_characters=limits.MAX_QUERY_CHARACTERS,
        titles=await actions.titles_of_targets(page.ctx, rows.rows),
    )


@router.post(role=Role.EDITOR, refused=show_redirects)
async def add_redirect(page: BotPage) -> Response:
    """Create a redirect; a target with `://` in it, or a path, is a URL; any other names an article."""
    target = page.form.get("target", "").strip()
    kind = "url" if "://" in target or target.startswith("/") else "articleId"
    body = body_from(RedirectCreate, {"from": page.form.get("from", "").strip(), kind: target})
    redirect = await actions.create_redirect(page.ctx, body)
    return page.leave("settings/redirects", f"{redirect.source} is now redirected.")


@router.post("remove", Role.EDITOR, refused=show_redirects)
async def remove_redirect(page: BotPage) -> Response:
    await actions.delete_redirect(page.ctx, page.form.get("id", ""))
    return page.leave("settings/redirects", "Deleted: that address is no longer redirected.")
