"""Words that mean the same in one help center."""

from starlette.responses import Response
from starlette.routing import Route

from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.interfaces.dashboard.settings.frame import attempt, show_settings
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role
from instep.platform.web.bodies import body_from
from instep.search import actions
from instep.search.schemas import SynonymsOut, SynonymsUpdate

PATH = "/app/{bot_slug}/settings/synonyms"


@bot_page("settings")
async def show_synonyms(page: BotPage) -> Response:
    return await synonyms(page)


async def synonyms(page: BotPage, refusal: AppError | None = None) -> Response:
    groups = (await actions.get_synonyms(page.ctx)).groups
    lines = "\n".join(", ".join(group) for group in groups)
    return await show_settings(page, "synonyms", "synonyms.html", refusal, lines=lines)


@bot_page("settings", Role.EDITOR)
async def save_synonyms(page: BotPage) -> Response:
    outcome = await attempt(page, replace_synonyms(page))
    if isinstance(outcome, AppError):
        return await synonyms(page, outcome)
    return page.leave("settings/synonyms", "Saved: searches and answers use them now.")


async def replace_synonyms(page: BotPage) -> SynonymsOut:
    """Save the synonyms: each line is a group, with terms separated by commas."""
    lines = [line.split(",") for line in page.form.get("lines", "").splitlines() if line.strip()]
    groups = [[term for term in line if term.strip()] for line in lines]
    return await actions.update_synonyms(page.ctx, body_from(SynonymsUpdate, {"groups": groups}))


routes = [
    Route(PATH, show_synonyms, methods=["GET"]),
    Route(PATH, save_synonyms, methods=["POST"]),
]
