"""Articles and their revisions over REST."""

from typing import Annotated, Literal

from fastapi import Query
from fastapi.responses import Response
from pydantic import AwareDatetime, BeforeValidator

from instep.content.articles import actions, splitting
from instep.content.articles.body_schemas import (
    ArticleCreate,
    ArticleDeletedOut,
    ArticleHtmlOut,
    ArticleOut,
    ArticleSplit,
    ArticleUpdate,
    ArticleVerify,
    LocaleFilter,
    VersionFilter,
    article_deleted_out,
    article_json,
)
from instep.content.articles.queries import ArticleCriteria
from instep.content.articles.revision_schemas import (
    RevisionDiffOut,
    RevisionHtmlOut,
    RevisionListItemOut,
    RevisionOut,
    revision_diff_out,
    revision_item_out,
    revision_out,
)
from instep.content.articles.schemas import FreshnessState
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, Form, IfMatch, IfNoneMatch, reply, reply_list, reply_with_etag
from instep.platform.web.shapes import ListOut

router = ApiRouter()


def date_time(text: str) -> str:
    """Refuse a bare number: the specification asks for a date-time, not for seconds since 1970."""
    if not text.upper().count("T"):
        raise ValueError("it must be a date and time such as 2026-11-21T12:00:00Z")
    return text


Since = Annotated[
    Annotated[AwareDatetime, BeforeValidator(date_time)] | None,
    Query(description="Only articles changed at this time or later.", examples=["2026-11-21T12:00:00Z"]),
]
CompareTo = Annotated[
    str,
    Query(description="The text to compare with: `current` or the ID of another revision."),
]
StatusFilter = Annotated[
    Literal["all", "draft", "in_review", "published", "archived"],
    Query(description="Only articles with this status; `all` means every article that is not deleted."),
]
CollectionFilter = Annotated[
    str | None,
    Query(description="Only articles of this collection, by its id or slug.", examples=["getting-started"]),
]
FreshnessFilter = Annotated[
    FreshnessState | None,
    Query(description="Only published articles in this state, which the field `freshness` explains."),
]


@router.operation(
    "GET /articles", actions.list_articles, ListOut[ArticleOut | ArticleHtmlOut], reads_replica=True
)
async def list_articles(
    ctx: Ctx,
    page: PageRequest,
    status: StatusFilter = "all",
    collection_id: CollectionFilter = None,
    locale: LocaleFilter = None,
    updated_since: Since = None,
    freshness: FreshnessFilter = None,
    version: VersionFilter = None,
    format: Form = "markdown",
) -> Response:
    criteria = ArticleCriteria(status, collection_id, locale, updated_since, freshness)
    articles = await actions.list_articles(ctx, criteria, format, page, version)
    return reply_list(articles, lambda row: article_json(row, ctx.bot, format))


@router.operation("POST /articles", actions.create_article, ArticleOut, status=201)
async def create_article(ctx: Ctx, body: ArticleCreate) -> Response:
    article = await actions.create_article(ctx, body)
    return reply(article_json(article, ctx.bot, "markdown"), 201, {"ETag": article.etag})


@router.operation("GET /articles/{id}", actions.get_article, ArticleOut | ArticleHtmlOut)
async def get_article(
    ctx: Ctx, id: str, format: Form = "markdown", if_none_match: IfNoneMatch = None
) -> Response:
    article = await actions.get_article(ctx, id, format)
    return reply_with_etag(article_json(article, ctx.bot, format), article.etag, if_none_match)


@router.operation("PATCH /articles/{id}", actions.update_article, ArticleOut | ArticleHtmlOut, may_warn=True)
async def update_article(
    ctx: Ctx, id: str, body: ArticleUpdate, format: Form = "markdown", if_match: IfMatch = None
) -> Response:
    article = await actions.update_article(ctx, id, body, format, if_match)
    return reply_with_etag(article_json(article, ctx.bot, format), article.etag)


@router.operation("POST /articles/{id}/publish", actions.publish_article, ArticleOut, may_warn=True)
async def publish_article(ctx: Ctx, id: str, if_match: IfMatch = None) -> Response:
    article = await actions.publish_article(ctx, id, if_match=if_match)
    return reply_with_etag(article_json(article, ctx.bot, "markdown"), article.etag)


@router.operation("POST /articles/{id}/verify", actions.verify_article, ArticleOut)
async def verify_article(
    ctx: Ctx, id: str, body: ArticleVerify | None = None, if_match: IfMatch = None
) -> Response:
    article = await actions.verify_article(ctx, id, body or actions.NO_COMMIT, if_match)
    return reply_with_etag(article_json(article, ctx.bot, "markdown"), article.etag)


@router.operation("POST /articles/{id}/split", splitting.split_by_version, ArticleOut, status=201)
async def split_by_version(ctx: Ctx, id: str, body: ArticleSplit, if_match: IfMatch = None) -> Response:
    article = await splitting.split_by_version(ctx, id, body.version, if_match)
    return reply(article_json(article, ctx.bot, "markdown"), 201, {"ETag": article.etag})


@router.operation("POST /articles/{id}/unpublish", actions.unpublish_article, ArticleOut, may_warn=True)
async def unpublish_article(ctx: Ctx, id: str, if_match: IfMatch = None) -> Response:
    article = await actions.unpublish_article(ctx, id, if_match)
    return reply_with_etag(article_json(article, ctx.bot, "markdown"), article.etag)


@router.operation("DELETE /articles/{id}", actions.delete_article, ArticleDeletedOut, may_warn=True)
async def delete_article(ctx: Ctx, id: str, if_match: IfMatch = None) -> Response:
    return reply(article_deleted_out(await actions.delete_article(ctx, id, if_match)))


@router.operation("POST /articles/{id}/restore", actions.restore_article, ArticleOut)
async def restore_article(ctx: Ctx, id: str) -> Response:
    article = await actions.restore_article(ctx, id)
    return reply_with_etag(article_json(article, ctx.bot, "markdown"), article.etag)


@router.operation("GET /articles/{id}/revisions", actions.list_revisions, ListOut[RevisionListItemOut])
async def list_revisions(ctx: Ctx, page: PageRequest, id: str) -> Response:
    listed = await actions.list_revisions(ctx, id, page)
    return reply_list(listed, revision_item_out)


@router.operation(
    "GET /articles/{id}/revisions/{revisionId}", actions.get_revision, RevisionOut | RevisionHtmlOut
)
async def get_revision(ctx: Ctx, id: str, revisionId: str, format: Form = "markdown") -> Response:
    return reply(revision_out(await actions.get_revision(ctx, id, revisionId, format), format))


@router.operation("GET /articles/{id}/revisions/{revisionId}/diff", actions.diff_revision, RevisionDiffOut)
async def diff_revision(
    ctx: Ctx, id: str, revisionId: str, compare_to: CompareTo = actions.CURRENT
) -> Response:
    return reply(revision_diff_out(await actions.diff_revision(ctx, id, revisionId, compare_to)))


@router.operation(
    "POST /articles/{id}/revisions/{revisionId}/restore", actions.restore_revision, ArticleOut, may_warn=True
)
async def restore_revision(ctx: Ctx, id: str, revisionId: str, if_match: IfMatch = None) -> Response:
    article = await actions.restore_revision(ctx, id, revisionId, if_match)
    return reply_with_etag(article_json(article, ctx.bot, "markdown"), article.etag)
