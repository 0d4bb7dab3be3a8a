"""Words that mean the same in one help center."""

from starlette.responses import Response

from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.settings.frame import show_settings
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role
from instep.platform.web.errors import body_from
from instep.search import actions
from instep.search.schemas import SynonymsUpdate

router = PageRouter("settings/synonyms")


@router.get()
async def show_synonyms(page: BotPage, refusal: AppError | None = None) -> Response:
    groups = (await actions.get_synonyms(page.ctx)).groups
    lines = "\n".join(", ".join(group) for group in groups)
    typed = page.form.get("lines", "").splitlines() if refusal else []
    numbers = [number for number, line in enumerate(typed, 1) if line.strip()]
    labels = {f"groups.{index}": f"Line {number}" for index, number in enumerate(numbers)}
    return await show_settings(page, "synonyms", refusal, labels, lines=lines)


@router.post(role=Role.EDITOR, refused=show_synonyms)
async def save_synonyms(page: BotPage) -> Response:
    """Save the synonyms: each line is a group, with terms separated by commas."""
    lines = [line.split(",") for line in page.form.get("lines", "").splitlines() if line.strip()]
    groups = [[term for term in line if term.strip()] for line in lines]
    await actions.update_synonyms(page.ctx, body_from(SynonymsUpdate, {"groups": groups}))
    return page.leave("settings/synonyms", "Saved: searches and answers use them now.")
