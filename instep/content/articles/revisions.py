"""The SQL of revisions."""

from instep.content.articles.revision_schemas import Revision
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx

REVISION = """
    r.id, r.article_id, r.version, r.title, r.content_markdown as content, r.origin, r.draft_id,
    r.author_type, r.author_name, r.created_at
"""
ORDER = Order(("r.version",), descending=True)


async def list_page(ctx: Ctx, article_id: str, request: PageRequest) -> Page[Revision]:
    page = request.page(ORDER, "revisions", ctx.bot.id, article_id)
    return await page.read(
        ctx,
        Revision,
        f"""
        select {REVISION} from revisions r
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s and r.article_id = %(article)s
          and {page.condition} {page.tail}
        """,
        article=article_id,
    )


async def find(ctx: Ctx, article_id: str, revision_id: str) -> Revision | None:
    return await ctx.first(
        Revision,
        f"""
        select {REVISION} from revisions r
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s and r.article_id = %(article)s
          and r.id = %(id)s
        """,
        article=article_id,
        id=revision_id,
    )


async def find_version(ctx: Ctx, article_id: str, version: int) -> Revision | None:
    return await ctx.first(
        Revision,
        f"""
        select {REVISION} from revisions r
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s and r.article_id = %(article)s
          and r.version = %(version)s
        """,
        article=article_id,
        version=version,
    )
