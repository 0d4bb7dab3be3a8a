"""Determines the event for a change of an article (specification, Events; contract section 5)."""

from dataclasses import fields

from instep.content.articles.body_schemas import article_out
from instep.content.articles.schemas import Article
from instep.notifications.webhooks.emit import emit, emit_each
from instep.notifications.webhooks.schemas import EventKind
from instep.platform.core.database import QueuedStatement
from instep.platform.identity.schemas import Ctx

# Fields that change together with others; a change of only these is not an event.
DERIVED_FIELDS = {"has_unpublished_changes", "version", "updated_at", "translations", "standing"}
PUBLISHED_FIELDS = [field.name for field in fields(Article) if field.name not in DERIVED_FIELDS]


async def emit_change(ctx: Ctx, before: Article, after: Article, endpoints: QueuedStatement) -> None:
    """Emit the event of a change, if it is one; both articles have their text in Markdown."""
    if kind := event_of_change(before, after):
        shapes = [article_out(article, ctx.bot, "markdown") for article in (after, before)]
        await emit(ctx, kind, shapes[0], shapes[1], endpoints)


async def emit_deletion(ctx: Ctx, articles: list[Article]) -> None:
    """Emit an event for each of the articles, with their state before the deletion."""
    changes = [(article_out(article, ctx.bot, "markdown"), None) for article in articles]
    await emit_each(ctx, "article.deleted", changes)


def event_of_change(before: Article, after: Article) -> EventKind | None:
    if before.is_live != after.is_live:
        return "article.published" if after.is_live else "article.unpublished"
    if after.is_live and any(getattr(before, name) != getattr(after, name) for name in PUBLISHED_FIELDS):
        return "article.updated"
    return None
