"""Articles as tools of the workspace's MCP server."""

from pydantic import Field

from instep.content.articles import actions
from instep.content.articles.body_schemas import ArticleCreate, ArticleFields, ArticleUpdate, article_fields
from instep.platform.identity.schemas import Ctx
from instep.platform.web.call import Call
from instep.platform.web.mcp.budget import text_page
from instep.platform.web.mcp.tools import Cursor, Reference, Toolbox

toolbox = Toolbox()


class ArticlePieceOut(ArticleFields):
    """An article with its text, or a part of it."""

    content_markdown: str = Field(description="The text in Markdown; a long text comes in pieces.")
    has_more: bool = Field(alias="has_more", description="True if more text follows this piece.")
    next_cursor: str | None = Field(alias="next_cursor")


@toolbox.tool(actions.get_article, ArticlePieceOut, "Read an article")
async def get_article(call: Call, id: Reference, cursor: Cursor = None) -> ArticlePieceOut:
    """Read one article with its Markdown text, whether it is live or not.

    While `has_more` is true, call again with `cursor` to get the rest: read the whole text before you propose
    an edit of it.
    """
    async with call.begin() as ctx:
        article = await actions.get_article(ctx, id)
        piece = text_page(article.content, call.page(1, cursor), ctx.bot.id, article.id, article.version)
        return ArticlePieceOut(
            **article_fields(article, ctx.bot), content_markdown=piece.text, **piece.continues
        )


@toolbox.tool(actions.create_article, ArticleFields, "Create an article", additive=True)
async def create_article(ctx: Ctx, body: ArticleCreate) -> ArticleFields:
    """Create an article as a draft. Nothing is live until it is published.

    Search first: the topic may have an article that needs an edit instead.
    """
    return ArticleFields(**article_fields(await actions.create_article(ctx, body), ctx.bot))


@toolbox.tool(actions.update_article, ArticleFields, "Change an article directly")
async def update_article(ctx: Ctx, id: Reference, body: ArticleUpdate) -> ArticleFields:
    """Change an article directly; only the sent fields change.

    Changes to a published article go live without a review: use `propose_edit` unless the person asked
    for a direct change.
    """
    return ArticleFields(**article_fields(await actions.update_article(ctx, id, body), ctx.bot))


@toolbox.tool(actions.publish_article, ArticleFields, "Publish an article")
async def publish_article(ctx: Ctx, id: Reference) -> ArticleFields:
    """Make an article live: on the help center, in the search and in answers.

    Only when the person asked for it.
    """
    return ArticleFields(**article_fields(await actions.publish_article(ctx, id), ctx.bot))
