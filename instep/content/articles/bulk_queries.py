"""The SQL of bulk changes: the states of articles, and the changes that can still be undone."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from psycopg.types.json import Jsonb

from instep.content.articles.schemas import Status
from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx

# Maximum number of bulk changes that the list of articles offers to undo.
MAX_LISTED_CHANGES = 3


@dataclass(frozen=True, slots=True)
class ArticleState:
    """The parts of an article that a bulk change can change; `is_deleted`: it is in Recently deleted."""

    id: str
    title: str
    translation_of: str | None
    status: Status
    visibility: str
    collection_id: str | None
    locale: str
    owner: str | None
    version: int
    has_unpublished_changes: bool
    is_deleted: bool
    since_version: str | None = None
    until_version: str | None = None


@dataclass(frozen=True, slots=True)
class StateChange:
    """The state of an article before and after a bulk change."""

    before: ArticleState
    after: ArticleState


@dataclass(frozen=True, slots=True)
class BulkChangeOverview:
    """A bulk change that can be undone, with the number of articles that it has changed."""

    id: str
    count: int
    created_at: datetime


async def list_states(ctx: Ctx, article_ids: Sequence[str]) -> dict[str, ArticleState]:
    """The states of articles and of their translations, by id, with originals before translations."""
    rows = await ctx.all(
        ArticleState,
        """
        select a.id, a.title, a.translation_of, a.status, a.visibility, a.collection_id, a.locale,
            (select p.email from people p where p.id = a.owner_id) as owner, a.version,
            a.working_saved_at is not null as has_unpublished_changes, a.deleted_at is not null as is_deleted,
            a.since_version, a.until_version
        from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s
          and (a.id = any(%(ids)s) or a.translation_of = any(%(ids)s))
        order by a.translation_of is not null, a.id
        """,
        ids=list(article_ids),
    )
    return {row.id: row for row in rows}


async def insert(ctx: Ctx, change_id: str, changes: Sequence[StateChange], count: int) -> None:
    """Store a bulk change, and forget those that are too old to be undone."""
    await ctx.execute(
        """
        delete from bulk_changes
        where bot_id = %(bot)s and workspace_id = %(workspace)s and created_at < %(now)s - %(ttl)s::interval
        """,
        ttl=limits.BULK_UNDO_TTL,
    )
    await ctx.execute(
        """
        insert into bulk_changes (id, workspace_id, bot_id, states, article_count, created_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(states)s, %(count)s, %(now)s)
        """,
        id=change_id,
        count=count,
        states=Jsonb([asdict(change) for change in changes]),
    )


async def list_newest(ctx: Ctx) -> list[BulkChangeOverview]:
    """The newest bulk changes that can still be undone."""
    return await ctx.all(
        BulkChangeOverview,
        """
        select id, article_count as count, created_at from bulk_changes
        where bot_id = %(bot)s and workspace_id = %(workspace)s and article_count > 0
          and created_at >= %(now)s - %(ttl)s::interval
        order by created_at desc, id limit %(limit)s
        """,
        ttl=limits.BULK_UNDO_TTL,
        limit=MAX_LISTED_CHANGES,
    )


async def take(ctx: Ctx, change_id: str) -> list[StateChange] | None:
    """Remove a bulk change and return it; None if it was undone already or is too old."""
    states = await ctx.value(
        """
        delete from bulk_changes
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
          and created_at >= %(now)s - %(ttl)s::interval
        returning states
        """,
        id=change_id,
        ttl=limits.BULK_UNDO_TTL,
    )
    if states is None:
        return None
    return [StateChange(ArticleState(**row["before"]), ArticleState(**row["after"])) for row in states]
