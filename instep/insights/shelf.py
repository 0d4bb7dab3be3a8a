"""The SQL behind the health of articles: what the library knows of each, and the texts to look through."""

from dataclasses import dataclass
from datetime import datetime

from instep.core import limits
from instep.identity.schemas import Ctx
from instep.insights.library import Card, Former


@dataclass(frozen=True, slots=True)
class State:
    """All that the health of a bot's articles depends on: as long as it stays, so does that.

    The stamp tells of articles; time alone adds to `waiting`, the articles with an edit that waits long.
    """

    changed_at: datetime
    waiting: list[str]
    collections: list[str]


@dataclass(frozen=True, slots=True)
class TextRow:
    """The text of one version of an article."""

    id: str
    version: int
    title: str
    content: str


async def find_state(ctx: Ctx) -> State:
    return await ctx.tx.one(
        State,
        """
        select b.changed_at, coalesce((select array_agg(distinct d.article_id order by d.article_id)
            from drafts d
            where d.bot_id = b.id and d.status = 'pending' and d.type = 'edit' and d.created_at < %(before)s),
            '{}') as waiting,
            coalesce((select array_agg(c.slug order by c.slug) from collections c where c.bot_id = b.id),
            '{}') as collections
        from bots b where b.id = %(bot)s
        """,
        bot=ctx.bot.id,
        before=ctx.now - limits.EDIT_WAITS,
    )


async def list_cards(ctx: Ctx) -> list[Card]:
    return await ctx.tx.all(
        Card,
        """
        select a.id, a.slug, a.locale, a.title, a.description, a.collection_id, a.status, a.version,
            octet_length(a.content_markdown) as size, a.translation_of, a.text_changed_at
        from articles a
        where a.bot_id = %(bot)s and a.deleted_at is null
        order by a.id
        """,
        bot=ctx.bot.id,
    )


async def list_former(ctx: Ctx) -> list[Former]:
    return await ctx.tx.all(
        Former, "select slug, locale, article_id from former_slugs where bot_id = %(bot)s", bot=ctx.bot.id
    )


async def list_texts(ctx: Ctx, article_ids: list[str]) -> list[TextRow]:
    return await ctx.tx.all(
        TextRow,
        """
        select id, version, title, content_markdown as content from articles
        where bot_id = %(bot)s and id = any(%(ids)s)
        """,
        bot=ctx.bot.id,
        ids=article_ids,
    )
