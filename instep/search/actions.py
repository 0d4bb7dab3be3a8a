"""Searches live articles, and the passages of public ones."""

from bisect import bisect_right
from collections.abc import AsyncIterator, Collection
from dataclasses import replace

from instep.content.product_versions.actions import referenced_version
from instep.platform.core import limits
from instep.platform.core.errors import NotFound
from instep.platform.core.markdown import Format
from instep.platform.core.paging import Keyset, Order, Page, PageRequest
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.search import queries
from instep.search.query.analysis import (
    WeightedQuery,
    all_terms_query,
    analyze_query,
    any_terms_query,
    from_cursor,
    to_cursor,
)
from instep.search.query.misspellings import corrected
from instep.search.query.scoring import (
    ArticleFilter,
    Hit,
    Ranking,
    rank_index,
    ranked_hits,
    with_semantic_hits,
)
from instep.search.query.tokenizer import contains_phrase
from instep.search.retrieve import retrieve_in_any_version
from instep.search.schemas import (
    Audience,
    LiveArticle,
    Passage,
    SearchHit,
    SearchRequest,
    SynonymsOut,
    SynonymsUpdate,
)
from instep.search.search_state import search_state_of
from instep.search.semantic import vectors
from instep.search.semantic.query_embedder import query_embedder

ORDER = Order(("score", "id"), descending=True)
PASSAGE_ORDER = Order(("score", "article_id", "number"), descending=False)
# The number of hits that one statement checks: whether they are live and contain the phrases.
RECHECK_BATCH = 50


async def count_without_vectors(ctx: Ctx) -> int:
    """The number of published articles whose vectors are still being computed; 0 without a model."""
    embedder = query_embedder.of(ctx)
    return await vectors.count_waiting(ctx, embedder.name) if embedder else 0


async def get_synonyms(ctx: Ctx) -> SynonymsOut:
    """Get the words that mean the same in this help center.

    They extend those that the search knows in English, German, French, Spanish, Portuguese, Japanese
    and Arabic. A synonym counts less than the word itself.
    """
    lines: list[str] = await queries.ask_for_synonyms(ctx).value() or []
    return SynonymsOut(groups=[line.split(", ") for line in lines])


@writes
async def update_synonyms(ctx: Ctx, sent: SynonymsUpdate) -> SynonymsOut:
    """Replace the words that mean the same in this help center, from the next question on."""
    lines = [", ".join(dict.fromkeys(group)) for group in sent.groups]
    await queries.store_synonyms(ctx, lines)
    return await get_synonyms(ctx)


async def search_articles(
    ctx: Ctx, search: SearchRequest, form: Format, request: PageRequest
) -> Page[SearchHit]:
    """Search the live articles, best match first.

    An article matches if it contains all words, in any inflected form. If no article does, articles with some
    of the words match, those with most of them first; then synonyms also count, with less weight, small
    typing errors are tolerated, and the last word may be incomplete. Text in double quotes is found
    literally, and so are names in code: `--dry-run`, `page_size`, `/v1/articles`.
    With embeddings, articles that say the same in other words match, too.
    An article whose title is the query comes first.
    """
    words = (search.query, search.locale, *filter(None, [search.version]))
    page = request.page(ORDER, "search", ctx.bot.id, *words)
    if version := await referenced_version(ctx, search.version, "version"):
        ctx = replace(ctx, bot=ctx.bot.in_version(version.as_read))
    state = await search_state_of(ctx)
    index, scope = state.index, ArticleFilter.of(state, search.locale, "authenticated")
    if page.after:
        # The cursor contains the query of the first page, so that all pages use the same query.
        query = from_cursor(page.after[2])
        return await _page_of_hits(ctx, rank_index(index, query, scope), query, form, page)
    builder = await analyze_query(ctx, state, search.query, search.locale)
    query = all_terms_query(builder)
    hits = await _page_of_hits(ctx, rank_index(index, query, scope), query, form, page)
    if hits.rows:
        return hits
    meant = corrected(search.query, builder)
    await query_embedder.begin(ctx, meant)
    query = any_terms_query(builder)
    rankings = rank_index(index, query, scope)
    semantic_hits = await query_embedder.nearest(ctx, meant, state, scope) or ()
    query = replace(query, semantic_hits=semantic_hits)
    return await _page_of_hits(ctx, with_semantic_hits(rankings, semantic_hits, scope), query, form, page)


async def get_live_article(ctx: Ctx, article_id: str, audience: Audience) -> LiveArticle:
    """Get an article if it is live and this audience may read it; otherwise raise `NotFound`."""
    articles = await queries.live_articles(ctx, [article_id], audience)
    if not articles:
        raise NotFound
    return articles[0]


async def are_live(ctx: Ctx, article_ids: Collection[str], audience: Audience) -> bool:
    """True if all of these articles are live and this audience may read them."""
    return len(await queries.live_articles(ctx, list(article_ids), audience)) == len(article_ids)


async def _page_of_hits(
    ctx: Ctx, rankings: list[Ranking], query: WeightedQuery, form: Format, page: Keyset
) -> Page[SearchHit]:
    after = (page.after[1], page.after[0]) if page.after else None
    candidates = ranked_hits(rankings, query, after)
    hits = candidates[: page.size + 1]
    rows = [] if query.phrases else await queries.articles_of_hits(ctx, hits, query.prefixes, form)
    if len(rows) < len(hits):
        # Some hits lack a phrase or are no longer live: the next candidates replace them.
        hits = await _live_hits(ctx, query, candidates, page.size + 1)
        rows = await queries.articles_of_hits(ctx, hits, query.prefixes, form)
    return page.page_of(rows, lambda row: (row.score, row.id, to_cursor(query)))


async def _live_hits(ctx: Ctx, query: WeightedQuery, candidates: list[Hit], count: int) -> list[Hit]:
    hits: list[Hit] = []
    async for hit in _recheck(ctx, query, candidates):
        hits.append(hit)
        if len(hits) == count:
            break
    return hits


async def _recheck(ctx: Ctx, query: WeightedQuery, candidates: list[Hit]) -> AsyncIterator[Hit]:
    """The candidates that are currently live and contain all phrases."""
    count = limits.MAX_PHRASE_CHECKS if query.phrases else len(candidates)
    for start in range(0, count, RECHECK_BATCH):
        batch = candidates[start : start + RECHECK_BATCH]
        ids = [article_id for article_id, _ in batch]
        if query.phrases:
            articles = await queries.live_articles(ctx, ids, "authenticated")
            matching_ids = [
                article.id
                for article in articles
                if all(contains_phrase(article.searched_text, phrase) for phrase in query.phrases)
            ]
        else:
            matching_ids = await queries.live_ids(ctx, ids)
        for hit in batch:
            if hit[0] in matching_ids:
                yield hit


async def search_passages(
    ctx: Ctx,
    search: SearchRequest,
    request: PageRequest,
    per_article: int | None = None,
    audience: Audience = "public",
) -> Page[Passage]:
    """Search the passages that the audience may read, best first, after the cursor in the current ranking.

    `per_article`: maximum number of passages per article, so that a long article does not fill the page.
    If passages of other versions contain more of the words, the passages of all versions are found.
    """
    version = ctx.bot.version
    scope = (search.query, search.locale, per_article, audience, *([version.slug] if version else []))
    page = request.page(PASSAGE_ORDER, "passages", ctx.bot.id, *scope)
    # With `per_article` the best passages do not depend on the limit, so the first page needs no more.
    is_first = per_article is not None and page.after is None
    limit = page.size + 1 if is_first else limits.MAX_PASSAGES_LISTED
    retrieval = await retrieve_in_any_version(
        ctx, search.query, search.locale, limit=limit, per_article=per_article, audience=audience
    )
    passages = sorted(retrieval.passages, key=_passage_sort_key)
    start = 0 if page.after is None else bisect_right(passages, page.after, key=_passage_sort_key)
    return page.page_of(passages[start : start + page.size + 1], _passage_sort_key)


def _passage_sort_key(passage: Passage) -> tuple[float, str, int]:
    return -passage.score, passage.article_id, passage.number
