"""The search as a tool of the workspace's MCP server."""

from functools import partial
from typing import Annotated

from pydantic import Field

from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Bot, Ctx
from instep.platform.web.mcp.budget import list_within_budget
from instep.platform.web.mcp.tools import Toolbox
from instep.platform.web.shapes import ListOut, Locale, Out, Timestamp
from instep.search import actions
from instep.search.schemas import Excerpt, Score, SearchHit, SearchRequest, SearchText

toolbox = Toolbox()
SearchedLocale = Annotated[Locale, Field(description="Only articles in this language.")]
SearchedVersion = Annotated[
    str, Field(description="Only articles of this version of the product, by its id or slug.")
]


class SearchHitItemOut(Out):
    """A live article that matches the search, without its text, which `get_article` returns."""

    id: str
    slug: str
    title: str
    excerpt: Excerpt
    score: Score
    locale: str
    url: str
    updated_at: Timestamp


@toolbox.tool(actions.search_articles, ListOut[SearchHitItemOut], "Search the articles")
async def search_articles(
    ctx: Ctx,
    page: PageRequest,
    query: SearchText,
    locale: SearchedLocale | None = None,
    version: SearchedVersion | None = None,
) -> ListOut[SearchHitItemOut]:
    """Search the live articles, best match first. Write the words that the article would use.

    Names in code such as `--dry-run` are found literally, and so is text in double quotes.
    """
    search = partial(actions.search_articles, ctx, SearchRequest(query, locale, version), "markdown")
    return await list_within_budget(search, partial(search_hit_item_out, ctx.bot), page)


def search_hit_item_out(bot: Bot, hit: SearchHit) -> SearchHitItemOut:
    return SearchHitItemOut.of_row(hit, url=hit.url(bot))
