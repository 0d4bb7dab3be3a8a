"""The search over REST."""

from typing import Any

from fastapi.responses import Response

from instep.content.articles.body_schemas import LocaleFilter, VersionFilter, article_json
from instep.platform.core.markdown import Format
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Bot, Ctx
from instep.platform.web.api import ApiRouter, Form, reply, reply_list
from instep.platform.web.shapes import ListOut
from instep.search import actions
from instep.search.schemas import (
    SearchHit,
    SearchHitHtmlOut,
    SearchHitOut,
    SearchRequest,
    SearchText,
    SynonymsOut,
    SynonymsUpdate,
)

router = ApiRouter()


@router.operation(
    "GET /articles/search",
    actions.search_articles,
    ListOut[SearchHitOut | SearchHitHtmlOut],
    reads_replica=True,
)
async def search_articles(
    ctx: Ctx,
    page: PageRequest,
    q: SearchText,
    locale: LocaleFilter = None,
    version: VersionFilter = None,
    form: Form = "markdown",
) -> Response:
    hits = await actions.search_articles(ctx, SearchRequest(q, locale, version), form, page)
    return reply_list(hits, lambda hit: search_hit_json(hit, ctx.bot, form))


def search_hit_json(hit: SearchHit, bot: Bot, format: Format) -> dict[str, Any]:
    return {**article_json(hit, bot, format), "excerpt": hit.excerpt, "score": hit.score}


@router.operation("GET /synonyms", actions.get_synonyms, SynonymsOut)
async def get_synonyms(ctx: Ctx) -> Response:
    return reply(await actions.get_synonyms(ctx))


@router.operation("PATCH /synonyms", actions.update_synonyms, SynonymsOut)
async def update_synonyms(ctx: Ctx, body: SynonymsUpdate) -> Response:
    return reply(await actions.update_synonyms(ctx, body))
