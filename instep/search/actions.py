"""Searching live articles."""

from instep.core.paging import Listed, PageRequest
from instep.identity.schemas import Ctx
from instep.search import queries
from instep.search.schemas import Found, Wanted
from instep.web.shapes import Format


async def search_articles(ctx: Ctx, wanted: Wanted, form: Format, page: PageRequest) -> Listed[Found]:
    """Search the articles that are live, best match first.

    An article is found when it has all words, in any form that its language gives them. Where none has all,
    those with some of the words are found, most of the words first; of the last word the beginning is enough
    then. What is in double quotes is found as it stands, and so are names in code: `--dry-run`, `page_size`,
    `/v1/articles`. An article whose title is the query comes first.
    """
    return await queries.search_page(ctx, wanted, form, page)
