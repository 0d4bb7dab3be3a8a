"""The people who have a draft open, so that two people do not review the same one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx


@dataclass(frozen=True, slots=True)
class DraftViewer:
    """A person who has a draft open."""

    draft_id: str
    email: str


async def note_viewer(ctx: Ctx, draft_id: str) -> None:
    """Record for `DRAFT_VIEWER_TTL` that the acting person has the draft open; ignore other actors.

    It is not marked `@writes`, because people with read access open drafts too.
    """
    if ctx.actor.type != "person":
        return
    await ctx.execute(
        """
        delete from draft_viewers where workspace_id = %(workspace)s and (draft_id, person_id) in (
            select draft_id, person_id from draft_viewers
            where bot_id = %(bot)s and workspace_id = %(workspace)s and seen_at <= %(expired)s
            for update skip locked)
        """,
        expired=ctx.now - limits.DRAFT_VIEWER_TTL,
    )
    await ctx.execute(
        """
        insert into draft_viewers (workspace_id, bot_id, draft_id, person_id, seen_at)
        select workspace_id, bot_id, id, %(person)s, %(now)s from drafts
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(draft)s and status = 'pending'
        on conflict (draft_id, person_id, workspace_id) do update set seen_at = excluded.seen_at
        """,
        draft=draft_id,
        person=ctx.actor.id,
    )


async def list_viewers(ctx: Ctx, draft_ids: Sequence[str]) -> Mapping[str, list[str]]:
    """The email addresses of the other people who have these drafts open, by the id of the draft."""
    rows = await ctx.all(
        DraftViewer,
        """
        select v.draft_id, p.email from draft_viewers v join people p on p.id = v.person_id
        where v.bot_id = %(bot)s and v.workspace_id = %(workspace)s and v.draft_id = any(%(drafts)s)
          and v.seen_at > %(expired)s and v.person_id is distinct from %(person)s
        order by v.draft_id, p.email
        """,
        drafts=list(draft_ids),
        expired=ctx.now - limits.DRAFT_VIEWER_TTL,
        person=ctx.actor.id if ctx.actor.type == "person" else None,
    )
    emails: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        emails[row.draft_id].append(row.email)
    return emails
