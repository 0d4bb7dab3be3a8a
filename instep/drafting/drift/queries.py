"""The SQL of drift: which findings wait for review already."""

from dataclasses import dataclass

from instep.platform.identity.schemas import Ctx


@dataclass(frozen=True, slots=True)
class KnownStatement:
    """A statement of an article by its key, with the draft or the open place that waits because of it.

    Without either, a person has resolved its place.
    """

    article_id: str
    key: str
    draft_id: str | None
    place_id: str | None


async def list_known(ctx: Ctx, article_ids: list[str]) -> list[KnownStatement]:
    """The statements of pending edits, and those of open and resolved places, of these articles."""
    return await ctx.all(
        KnownStatement,
        """
        select d.article_id, s ->> 'key' as key, d.id as draft_id, null as place_id
        from drafts d, jsonb_array_elements(d.statements) s
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
          and d.type = 'edit' and d.article_id = any(%(articles)s)
        union all
        select p.article_id, p.statement ->> 'key', null, case when p.status = 'open' then p.id end
        from places p
        where p.bot_id = %(bot)s and p.workspace_id = %(workspace)s and p.status in ('open', 'resolved')
          and p.article_id = any(%(articles)s)
        """,
        articles=article_ids,
    )
