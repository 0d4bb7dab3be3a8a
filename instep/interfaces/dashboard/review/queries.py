"""SQL of the review pages: the articles that the drafts' tasks have read, and articles' public URLs."""

from dataclasses import dataclass
from typing import Any

from instep.content.articles.live import LIVE
from instep.interfaces.site.schemas import article_path
from instep.platform.core import limits
from instep.platform.core.locales import direction
from instep.platform.identity.schemas import Ctx


@dataclass(frozen=True, slots=True)
class TaskVerdicts:
    """The number of articles that a task considered without proposing an edit."""

    task_id: str
    no_edit: int


@dataclass(frozen=True, slots=True)
class PublicPlace:
    """The parts of a public article's URL."""

    slug: str
    locale: str


async def count_verdicts(ctx: Ctx, task_ids: list[str]) -> dict[str, TaskVerdicts]:
    """The number of verdicts of each task, by its id."""
    rows = await ctx.all(
        TaskVerdicts,
        """
        select t.id as task_id,
            jsonb_array_length(jsonb_path_query_array(t.reviewed, '$[*] ? (@.verdict == "no_edit")'))
                as no_edit
        from tasks t
        where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s and t.id = any(%(ids)s)
        """,
        ids=task_ids,
    )
    return {row.task_id: row for row in rows}


async def list_verdicts(ctx: Ctx, task_id: str) -> list[dict[str, Any]]:
    """The verdicts of a task on articles that need no edit."""
    verdicts: list[dict[str, Any]] | None = await ctx.value(
        """
        select coalesce(jsonb_agg(verdict order by place), '[]') from (
            select verdict, place
            from tasks t, jsonb_array_elements(t.reviewed) with ordinality as v (verdict, place)
            where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s and t.id = %(id)s
              and verdict->>'verdict' = 'no_edit'
            order by place limit %(limit)s
        ) listed
        """,
        id=task_id,
        limit=limits.MAX_SHOWN_VERDICTS,
    )
    return verdicts or []


async def read_diff(ctx: Ctx, task_id: str) -> str:
    """The beginning of a task's diff; empty without one."""
    diff: str | None = await ctx.value(
        """
        select left(diff, %(characters)s) from tasks
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=task_id,
        characters=limits.MAX_NOTE_DIFF_CHARACTERS,
    )
    return diff or ""


async def has_drafts(ctx: Ctx) -> bool:
    """True if there has ever been a draft or a place."""
    return await ctx.value(
        """
        select exists (select from drafts where bot_id = %(bot)s and workspace_id = %(workspace)s)
            or exists (select from places where bot_id = %(bot)s and workspace_id = %(workspace)s)
        """
    )


async def find_locale(ctx: Ctx, article_id: str) -> str | None:
    """The language of an article, even of a deleted one; None if it was purged."""
    return await ctx.value(
        """
        select locale from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=article_id,
    )


async def language_values(ctx: Ctx, article_id: str) -> dict[str, str]:
    """The language of an article's text and its direction, as templates name them."""
    locale = await find_locale(ctx, article_id) or ctx.bot.locale
    return {"locale": locale, "direction": direction(locale)}


async def find_public_path(ctx: Ctx, article_id: str) -> str | None:
    """The public path of an article; None if it is not public."""
    row = await ctx.first(PublicPlace, f"select a.slug, a.locale {LIVE} and a.id = %(id)s", id=article_id)
    return None if row is None else article_path(ctx.bot, row.locale, row.slug)
