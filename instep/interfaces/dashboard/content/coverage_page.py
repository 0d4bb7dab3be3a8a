"""The languages of all articles: up to date, outdated, missing, or waiting for review."""

from urllib.parse import urlencode

from starlette.responses import Response

from instep.content.articles.actions import count_articles, list_article_overviews
from instep.content.articles.schemas import OverviewCriteria
from instep.drafting.translations.actions import count_coverage, list_coverage
from instep.drafting.translations.missing_translations import count_waiting
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.content.collection_tree import NO_COLLECTION, read_tree

PATH = "articles/languages"
router = PageRouter("articles/languages")


@router.get()
async def show_coverage(page: BotPage) -> Response:
    chosen = page.query.get("collection") or None
    collection_id = "" if chosen == NO_COLLECTION else chosen
    articles = await list_article_overviews(
        page.ctx, OverviewCriteria(collection_id=collection_id), page.rows_at_cursor()
    )
    cursor = {"collection": chosen or "", "cursor": articles.next_cursor or ""}
    return await page.show(
        "content/coverage.html",
        articles=articles.rows,
        next_page=articles.next_cursor and f"{PATH}?{urlencode(cursor)}",
        tree=await read_tree(page, await count_articles(page.ctx)),
        collection=chosen or "",
        languages=await count_coverage(page.ctx, collection_id),
        coverage=await list_coverage(page.ctx, [article.id for article in articles.rows]),
        waiting=await count_waiting(page.ctx),
        is_continued="cursor" in page.query,
        here=f"/app/{page.ctx.bot.slug}/{PATH}",
    )
