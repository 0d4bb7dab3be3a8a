"""The SQL of earlier versions of drafts."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx


@dataclass(frozen=True, slots=True)
class DraftVersion:
    """An earlier version of a draft: who edited it last, None for the first one, and who replaced it."""

    number: int
    edited_by_name: str | None
    replaced_by_name: str
    replaced_at: datetime


@dataclass(frozen=True, slots=True)
class DraftVersionText(DraftVersion):
    """A version with its text, and the columns of the draft that belong to the text."""

    title: str
    content: str
    certainty: str | None
    evidence: list[dict[str, Any]]
    warnings: list[str]
    edited_lines: list[int]
    model: str | None


VERSION = "number, edited_by_name, replaced_by_name, replaced_at"
FROM = """
    from draft_versions
    where bot_id = %(bot)s and workspace_id = %(workspace)s and draft_id = %(id)s
"""
# Columns of a draft that belong to its text.
KEPT = ("certainty", "evidence", "warnings", "edited_by_name", "edited_lines", "model")


async def keep(ctx: Ctx, draft_id: str) -> None:
    """Keep the present text of a locked draft; beyond `MAX_DRAFT_VERSIONS` the second oldest goes."""
    await ctx.execute(
        f"""
        insert into draft_versions (workspace_id, bot_id, draft_id, number, title, content_markdown,
            {", ".join(KEPT)}, replaced_by_name, replaced_at)
        select d.workspace_id, d.bot_id, d.id,
            (select coalesce(max(number), 0) + 1 {FROM}),
            coalesce(d.title, a.title), coalesce(d.content_markdown, a.content_markdown),
            {", ".join(f"d.{name}" for name in KEPT)}, %(by_name)s, %(now)s
        from drafts d join articles a on a.workspace_id = d.workspace_id and a.id = d.article_id
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.id = %(id)s
        """,
        id=draft_id,
        by_name=ctx.actor.name,
    )
    await ctx.execute(
        f"""
        delete {FROM} and number > 1 and number <= (
            select max(number) {FROM}) - %(most)s
        """,
        id=draft_id,
        most=limits.MAX_DRAFT_VERSIONS,
    )


async def list_all(ctx: Ctx, draft_id: str) -> list[DraftVersion]:
    """The earlier versions, newest first."""
    sql = f"select {VERSION} {FROM} order by number desc"
    return await ctx.all(DraftVersion, sql, id=draft_id)


async def find(ctx: Ctx, draft_id: str, number: int) -> DraftVersionText | None:
    return await ctx.first(
        DraftVersionText,
        f"""
        select {VERSION}, title, content_markdown as content, certainty, evidence, warnings, edited_lines,
            model
        {FROM} and number = %(number)s
        """,
        id=draft_id,
        number=number,
    )
