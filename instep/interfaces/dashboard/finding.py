"""Search in the command palette: articles of the bot that match while a person types."""

from starlette.responses import Response

from instep.content.articles.actions import list_article_overviews
from instep.content.articles.schemas import OverviewCriteria
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.platform.core import limits

router = PageRouter("find", section="articles")


@router.get()
async def find(page: BotPage) -> Response:
    """The articles whose title or slug contains the typed text, latest change first; empty without text."""
    name = page.query.get("q", "").replace("\0", "").strip()[: limits.MAX_QUERY_CHARACTERS]
    request = page.first_rows(limits.PALETTE_ROWS)
    hits = (await list_article_overviews(page.ctx, OverviewCriteria(name=name), request)).rows if name else []
    return page.show_part("palette_hits.html", hits=hits)
