"""The SQL of the search: changes since a stamp, stored indexes, and the live articles of hits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from instep.content.articles import live
from instep.content.articles.queries import columns
from instep.content.collections.visibility import ANCESTORS, IS_PUBLIC
from instep.content.parts.readers_texts import readers_text
from instep.platform.core import limits
from instep.platform.core.database import QueuedStatement
from instep.platform.core.markdown import Format
from instep.platform.identity.schemas import Ctx
from instep.search.schemas import ArticleChange, Audience, LiveArticle, OutlinedArticle, SearchHit

LIVE = "a.status = 'published' and a.deleted_at is null"
# The strictest of article, collection and the collections above it decides (contract sections 4 and 10).
PUBLIC = f"""
    a.visibility = 'public' and not exists (
        select from collections c {ANCESTORS}
        where c.workspace_id = %(workspace)s and c.id = a.collection_id
          and not {IS_PUBLIC})
"""


@dataclass(slots=True)
class IndexState:
    """The bot's last change stamp, and the ids of its collections that not everyone may see."""

    changed_at: datetime
    hidden_collections: list[str]
    # Whether this transaction has written; its changes may be rolled back.
    is_writing: bool
    # Whether it reads from a replica, where nothing can be stored.
    is_replica: bool


def ask_for_synonyms(ctx: Ctx) -> QueuedStatement:
    """Request the lines of the bot's own synonyms, together with the next statement."""
    return ctx.queue("select lines from bot_synonyms where bot_id = %(bot)s and workspace_id = %(workspace)s")


def ask_for_untranslated(ctx: Ctx, locale: str | None, audience: Audience) -> QueuedStatement:
    """Request the ids of the articles that a language shows untranslated, with the next statement.

    Without the setting PostgreSQL reads no articles.
    """
    readable = live.in_read_version(ctx, live.LIVE_TO_SIGNED_IN if audience == "authenticated" else live.LIVE)
    return ctx.queue(
        f"""
        select array(select a.id {readable} and exists ({live.FALLBACK_LOCALE})
            and a.locale <> %(locale)s and {live.in_language(readable)})
        """,
        locale=locale,
    )


def ask_for_other_versions(ctx: Ctx) -> QueuedStatement:
    """Request the ids of the articles that are not about the product version that is read."""
    return ctx.queue(
        f"""
        select array(select a.id from articles a
            where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s
              and (a.since_version is not null or a.until_version is not null)
              and not {live.in_version_at()})
        """
    )


async def store_synonyms(ctx: Ctx, lines: Sequence[str]) -> None:
    await ctx.execute(
        """
        insert into bot_synonyms (workspace_id, bot_id, lines, updated_at)
        select b.workspace_id, b.id, %(lines)s, %(now)s from bots b
        where b.id = %(bot)s and b.workspace_id = %(workspace)s
        on conflict (workspace_id, bot_id)
        do update set lines = excluded.lines, updated_at = excluded.updated_at
        """,
        lines=list(lines),
    )


async def index_state(ctx: Ctx) -> IndexState:
    return await ctx.fetch_one(
        IndexState,
        f"""
        select b.changed_at, array(select c.id from collections c {ANCESTORS}
            where c.bot_id = b.id and c.workspace_id = %(workspace)s
              and not {IS_PUBLIC}) as hidden_collections,
            pg_current_xact_id_if_assigned() is not null as is_writing, pg_is_in_recovery() as is_replica
        from bots b where b.id = %(bot)s
        """,
    )


async def changed_since(
    ctx: Ctx, stamp: datetime, after: str | None, limit: int, *, only_live: bool
) -> list[ArticleChange]:
    """Articles with a later stamp, or with this stamp and an id after `after`; the oldest change first."""
    return await ctx.all(
        ArticleChange,
        f"""
        select a.id, a.status = 'published' as is_live, a.locale, search_config(a.locale)::text as config,
            a.visibility = 'public' as is_public, a.collection_id, a.title, a.description,
            case when a.status = 'published' then left({readers_text("a")}, %(characters)s) end as markdown,
            a.updated_at as changed_at
        from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
          and a.updated_at >= %(stamp)s
          and {"(a.updated_at, a.id) > (%(stamp)s, %(after)s)" if after else "a.updated_at > %(stamp)s"}
          and {"a.status = 'published'" if only_live else "true"}
        order by a.updated_at, a.id limit %(limit)s
        """,
        stamp=stamp,
        after=after,
        characters=limits.MAX_INDEXED_CHARACTERS,
        limit=limit,
    )


async def deleted_since(ctx: Ctx, stamp: datetime) -> list[str]:
    """The ids of the articles that were deleted after a stamp."""
    return await ctx.column(
        """
        select id from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and deleted_at > %(stamp)s
        """,
        stamp=stamp,
    )


@dataclass(slots=True)
class StoredIndex:
    seen: datetime
    # `None` unless it is below the limit.
    data: bytes | None


async def stored_index(ctx: Ctx, limit: int | None = None) -> StoredIndex | None:
    """The stored index, with its data if it has fewer bytes than `limit`."""
    return await ctx.first(
        StoredIndex,
        """
        select seen,
            case when %(limit)s::bigint is null or octet_length(data) < %(limit)s then data end as data
        from search_indexes where bot_id = %(bot)s and workspace_id = %(workspace)s
        """,
        limit=limit,
    )


async def stored_until(ctx: Ctx) -> datetime | None:
    """The stamp of the stored index."""
    return await ctx.value(
        "select seen from search_indexes where bot_id = %(bot)s and workspace_id = %(workspace)s"
    )


async def store_index(ctx: Ctx, data: bytes, seen: datetime) -> None:
    await ctx.execute(
        """
        insert into search_indexes as s (bot_id, workspace_id, seen, data)
        values (%(bot)s, %(workspace)s, %(seen)s, %(data)s)
        on conflict (bot_id, workspace_id) do update set seen = excluded.seen, data = excluded.data
        """,
        seen=seen,
        data=data,
    )


async def live_articles(ctx: Ctx, ids: Sequence[str], audience: Audience) -> list[LiveArticle]:
    return await ctx.all(
        LiveArticle,
        f"""
        select a.id, a.slug, a.locale, a.title, a.description,
            left({readers_text("a")}, %(characters)s) as markdown, a.content_html as html,
            a.updated_at as changed_at, {live.other_version(ctx)} as other_version
        from articles a where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and {LIVE}
          and a.id = any(%(ids)s) and {visible_to(audience)}
        """,
        ids=list(ids),
        characters=limits.MAX_INDEXED_CHARACTERS,
    )


async def articles_to_outline(
    ctx: Ctx, ids: Sequence[str], locale: str, audience: Audience, limit: int
) -> list[OutlinedArticle]:
    """The live articles with these ids in their order, then others in the language."""
    return await ctx.all(
        OutlinedArticle,
        f"""
        select a.id, a.title, left({readers_text("a")}, %(characters)s) as markdown
        from articles a where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and {LIVE}
          and a.locale = %(locale)s and {visible_to(audience)}
          and {live.in_version_at() if ctx.bot.version else "true"}
        order by array_position(%(ids)s::text[], a.id::text), a.title, a.id limit %(limit)s
        """,
        ids=list(ids),
        locale=locale,
        limit=limit,
        characters=limits.MAX_OUTLINED_CHARACTERS,
    )


async def live_ids(ctx: Ctx, ids: Sequence[str]) -> list[str]:
    return await ctx.column(
        f"""
        select a.id from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and {LIVE} and a.id = any(%(ids)s)
        """,
        ids=list(ids),
    )


def visible_to(audience: Audience) -> str:
    return "true" if audience == "authenticated" else PUBLIC


async def articles_of_hits(
    ctx: Ctx, hits: Sequence[tuple[str, float]], prefixes: Sequence[str], form: Format
) -> list[SearchHit]:
    """The live articles of hits (id and score), best first."""
    if not hits:
        return []
    return await ctx.all(
        SearchHit,
        f"""
        select {columns(form)}, h.score, left(a.content_html, %(characters)s) as html,
            %(prefixes)s::text[] as prefixes
        from unnest(%(ids)s::text[], %(scores)s::float8[]) as h (id, score) join articles a using (id)
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and {LIVE}
        order by h.score desc, h.id desc
        """,
        ids=[article_id for article_id, _ in hits],
        scores=[score for _, score in hits],
        prefixes=list(prefixes),
        characters=limits.MAX_EXCERPT_SOURCE_CHARACTERS,
    )
