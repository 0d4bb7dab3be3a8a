"""Searching live articles, and the passages of those that everybody may read."""

from bisect import bisect_right
from collections.abc import AsyncIterator
from dataclasses import replace

from instep.core import limits
from instep.core.markdown import Format
from instep.core.paging import Keyset, Order, Page, PageRequest
from instep.identity.schemas import Ctx
from instep.search import queries
from instep.search.index.cache import Index, index_cache
from instep.search.query.query import (
    Query,
    all_terms_query,
    analyze_query,
    any_terms_query,
    from_cursor,
    to_cursor,
)
from instep.search.query.scoring import Filter, Hit, hits, rank
from instep.search.query.tokens import holds
from instep.search.retrieve import retrieve
from instep.search.schemas import Passage, SearchHit, SearchRequest
from instep.search.semantic.query_embedder import query_embedder

ORDER = Order(("score", "id"), descending=True)
PASSAGE_ORDER = Order(("score", "article_id", "number"), descending=False)
# Of those that were found, so many are looked at together: whether they hold a phrase, whether they live.
HITS_RECHECKED = 50


async def search_articles(
    ctx: Ctx, wanted: SearchRequest, form: Format, request: PageRequest
) -> Page[SearchHit]:
    """Search the articles that are live, best match first.

    An article is found when it has all words, in any form that its language gives them. Where none has all,
    those with some of the words are found, most of the words first; then words that mean the same count too,
    though less, small errors in typing are forgiven, and of the last word the beginning is enough. What is in
    double quotes is found as it stands, and so are names in code: `--dry-run`, `page_size`, `/v1/articles`.
    Where embeddings are set up, articles that say the same in other words are found then, too.
    An article whose title is the query comes first.
    """
    page = request.page(ORDER, "search", ctx.bot.id, wanted.query, wanted.locale)
    index, hidden = await index_cache.index_of(ctx)
    scope = Filter(wanted.locale, "authenticated", hidden)
    if page.after:
        # The next page is found in the way in which the one before was.
        return await results(ctx, index, from_cursor(page.after[2]), scope, form, page)
    asked = await analyze_query(ctx, index, wanted.query, wanted.locale)
    listed = await results(ctx, index, all_terms_query(asked), scope, form, page)
    if listed.rows:
        return listed
    meant = await query_embedder.near(ctx, wanted.query, wanted.locale, "authenticated")
    return await results(ctx, index, replace(any_terms_query(asked), semantic_hits=meant), scope, form, page)


async def results(
    ctx: Ctx, index: Index, plan: Query, scope: Filter, form: Format, page: Keyset
) -> Page[SearchHit]:
    after = (page.after[1], page.after[0]) if page.after else None
    found = hits(rank(index, plan, scope), plan, after)
    chosen = found[: page.size + 1]
    rows = [] if plan.phrases else await queries.articles_of_hits(ctx, chosen, plan.prefixes, form)
    if len(rows) < len(chosen):
        # Some don't hold a phrase, or have gone meanwhile: others move up.
        chosen = await live_hits(ctx, plan, found, page.size + 1)
        rows = await queries.articles_of_hits(ctx, chosen, plan.prefixes, form)
    return page.page_of(rows, lambda row: (row.score, row.id, to_cursor(plan)))


async def live_hits(ctx: Ctx, plan: Query, found: list[Hit], count: int) -> list[Hit]:
    chosen: list[Hit] = []
    async for hit in recheck(ctx, plan, found):
        chosen.append(hit)
        if len(chosen) == count:
            break
    return chosen


async def recheck(ctx: Ctx, plan: Query, found: list[Hit]) -> AsyncIterator[Hit]:
    """Those that are live at this moment, and hold what must stand together."""
    most = limits.MAX_PHRASE_CHECKS if plan.phrases else len(found)
    for start in range(0, most, HITS_RECHECKED):
        some = found[start : start + HITS_RECHECKED]
        if plan.phrases:
            texts = await queries.texts(ctx, [ref for ref, _ in some], "authenticated")
            right = {text.id for text in texts if all(holds(text.words, phrase) for phrase in plan.phrases)}
        else:
            right = await queries.live_ids(ctx, [ref for ref, _ in some], "authenticated")
        for hit in some:
            if hit[0] in right:
                yield hit


async def search_passages(
    ctx: Ctx, wanted: SearchRequest, request: PageRequest, per_article: int | None = None
) -> Page[Passage]:
    """Search the passages that everybody may read, best first: those behind the cursor, as they rank now.

    `per_article`: so many of an article at most, so that others are seen beside a long one.
    """
    page = request.page(PASSAGE_ORDER, "passages", ctx.bot.id, wanted.query, wanted.locale, per_article)
    # With `per_article` the best ones are the same, however many are asked for.
    is_first = per_article is not None and page.after is None
    limit = page.size + 1 if is_first else limits.MAX_PASSAGES_LISTED
    found = (await retrieve(ctx, wanted.query, wanted.locale, limit=limit, per_article=per_article)).passages
    found.sort(key=place_of)
    start = 0 if page.after is None else bisect_right(found, page.after, key=place_of)
    return page.page_of(found[start : start + page.size + 1], place_of)


def place_of(passage: Passage) -> tuple[float, str, int]:
    return -passage.score, passage.article_id, passage.number
