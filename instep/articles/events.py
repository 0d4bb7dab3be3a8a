"""Which event a change of an article is (specification, Events; contract section 5)."""

from dataclasses import fields

from instep.articles.schemas import Article, article_out
from instep.identity.schemas import Ctx
from instep.webhooks.emit import emit, emit_each
from instep.webhooks.schemas import EventKind

# They come along with a change; alone they are none that a reader of the help center could notice.
DERIVED_FIELDS = {"has_unpublished_changes", "version", "updated_at", "translations"}
NOTICED = [field.name for field in fields(Article) if field.name not in DERIVED_FIELDS]


async def emit_change(ctx: Ctx, before: Article, after: Article) -> None:
    """Emit the event of a change, if it is one; both articles hold their text in Markdown."""
    if kind := kind_of(before, after):
        shown = [article_out(article, ctx.bot, "markdown") for article in (after, before)]
        await emit(ctx, kind, *shown)


async def tell_deletion(ctx: Ctx, deleted: list[Article]) -> None:
    """Emit an event for each of the articles, as they were before they were deleted."""
    await emit_each(
        ctx, "article.deleted", [(article_out(each, ctx.bot, "markdown"), None) for each in deleted]
    )


def kind_of(before: Article, after: Article) -> EventKind | None:
    if before.is_live != after.is_live:
        return "article.published" if after.is_live else "article.unpublished"
    if after.is_live and any(getattr(before, name) != getattr(after, name) for name in NOTICED):
        return "article.updated"
    return None
