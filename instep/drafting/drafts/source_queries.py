"""The SQL of the review queue by source."""

from collections.abc import Sequence

from instep.drafting.drafts.queries import IS_CONFLICT
from instep.drafting.drafts.queue_schemas import DraftFilter
from instep.drafting.drafts.release_schemas import DraftOfArticle
from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx

BUNDLE_KEY = "bundle "
BUNDLE_OF = "(select b.bundle from tasks b where b.workspace_id = %(workspace)s and b.id = {}.task_id)"
# The key that groups the queue: a bundle, the change's URL, or else its task, the questions, or the author.
SOURCE_KEY = f"""
    coalesce('{BUNDLE_KEY}' || {BUNDLE_OF.format("d")}, 'url ' || d.source_url, 'task ' || d.task_id,
        case when d.type = 'gap_draft' then 'questions'
            else 'author ' || d.author_type || ' ' || d.author_name end)
"""
# Places appear next to the drafts of their change.
PLACE_SOURCE_KEY = f"""
    coalesce('{BUNDLE_KEY}' || {BUNDLE_OF.format("p")}, 'url ' || p.source_url, 'task ' || p.task_id,
        'change ' || p.source_title)
"""
OPEN_PLACES = """
    from places p join articles a on a.workspace_id = %(workspace)s and a.id = p.article_id
    where p.bot_id = %(bot)s and p.workspace_id = %(workspace)s and p.status = 'open'
      and a.deleted_at is null
"""
# The origin of drafts without a change.
KIND_CONDITIONS = {
    "article": "t.type = 'write_article'",
    "question": "d.type = 'gap_draft'",
    "author": "t.id is null and d.type <> 'gap_draft'",
}
CONDITIONS = {
    "type": "d.type = %(type)s",
    "certainty": "d.certainty = %(certainty)s",
    "article_id": "d.article_id = %(article_id)s",
    "is_approved": "(d.approved_at is not null) = %(is_approved)s",
    "has_conflict": f"{IS_CONFLICT} = %(has_conflict)s",
    "assignee_id": "d.assignee_id = %(assignee_id)s",
    "is_assigned": "(d.assignee_id is not null) = %(is_assigned)s",
}
# The same for places, which are never certain, approved or in conflict.
PLACE_CONDITIONS = {
    "type": "%(type)s = 'place'",
    "kind": "p.source_kind = %(kind)s",
    "certainty": "false",
    "article_id": "p.article_id = %(article_id)s",
    "is_approved": "not %(is_approved)s",
    "has_conflict": "not %(has_conflict)s",
    "assignee_id": "p.assignee_id = %(assignee_id)s",
    "is_assigned": "(p.assignee_id is not null) = %(is_assigned)s",
}


def condition_of(criteria: DraftFilter) -> str:
    """The condition for drafts `d` of tasks `t` and articles `a`; its parameters are the fields."""
    conditions = [sql for name, sql in CONDITIONS.items() if getattr(criteria, name) is not None]
    if criteria.kind is not None:
        conditions.append(KIND_CONDITIONS.get(criteria.kind, "t.change_kind = %(kind)s"))
    return " and ".join(conditions) or "true"


def place_condition_of(criteria: DraftFilter) -> str:
    """The same condition for places `p`."""
    conditions = [sql for name, sql in PLACE_CONDITIONS.items() if getattr(criteria, name) is not None]
    return " and ".join(conditions) or "true"


async def list_certain(ctx: Ctx, source_key: str) -> list[DraftOfArticle]:
    """The certain pending drafts of a source, oldest first."""
    return await list_waiting(ctx, source_key, "d.certainty = 'certain'")


async def list_unapproved(ctx: Ctx, source_key: str) -> list[DraftOfArticle]:
    """The pending drafts of a source without approval, oldest first."""
    return await list_waiting(ctx, source_key, "d.approved_at is null")


async def list_seen(ctx: Ctx, source_key: str, draft_ids: Sequence[str]) -> list[DraftOfArticle]:
    """The pending drafts of a source among the given drafts, oldest first."""
    return await list_waiting(ctx, source_key, "d.id = any(%(ids)s)", ids=list(draft_ids))


async def list_states(ctx: Ctx, draft_ids: Sequence[str]) -> dict[str, str]:
    """The state of each of these drafts, which differs after any change of it."""
    states: dict[str, str] | None = await ctx.value(
        """
        select jsonb_object_agg(id, xmin::text) from drafts
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(ids)s)
        """,
        ids=list(draft_ids),
    )
    return states or {}


async def list_waiting(
    ctx: Ctx, source_key: str, condition: str, **parameters: object
) -> list[DraftOfArticle]:
    return await ctx.all(
        DraftOfArticle,
        f"""
        select d.id, d.article_id, d.approved_at is not null as is_approved
        from drafts d
        join articles a on a.workspace_id = %(workspace)s and a.id = d.article_id
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
          and a.deleted_at is null and {SOURCE_KEY} = %(source)s and {condition}
        order by d.created_at, d.id limit %(max_drafts)s
        """,
        source=source_key,
        max_drafts=limits.MAX_SOURCE_DRAFTS,
        **parameters,
    )
