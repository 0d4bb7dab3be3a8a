"""SQL of the frame: the bots of a workspace, and the number of waiting items in each section."""

from instep.platform.core.database import Tx
from instep.platform.identity.schemas import Bot, Ctx

BOT = "id, workspace_id, slug, name, locale, domain"


async def find_bot(tx: Tx, workspace_id: str, slug: str) -> Bot | None:
    return await tx.first(
        Bot,
        f"select {BOT} from bots where workspace_id = %(workspace)s and slug = %(slug)s",
        workspace=workspace_id,
        slug=slug,
    )


async def list_bots(tx: Tx, workspace_id: str) -> list[Bot]:
    """All bots of the workspace, by name."""
    return await tx.all(
        Bot,
        f"select {BOT} from bots where workspace_id = %(workspace)s order by lower(name), id",
        workspace=workspace_id,
    )


async def count_what_waits(ctx: Ctx) -> dict[str, int]:
    """The numbers of items that the sections show, by the paths of the sections."""
    return await ctx.value(
        """
        select jsonb_build_object(
          'review', (
            select count(*) from drafts
            where bot_id = %(bot)s and workspace_id = %(workspace)s and status = 'pending') + (
            select count(*) from places p
            join articles a on a.workspace_id = p.workspace_id and a.id = p.article_id
            where p.bot_id = %(bot)s and p.workspace_id = %(workspace)s and p.status = 'open'
              and a.deleted_at is null),
          'inbox', (
            select count(*) from notices
            where bot_id = %(bot)s and workspace_id = %(workspace)s and person_id = %(person)s
              and read_at is null),
          'articles', (
            select count(*) from articles
            where bot_id = %(bot)s and workspace_id = %(workspace)s and deleted_at is null),
          'questions', (
            select count(*) from unanswered_questions
            where bot_id = %(bot)s and workspace_id = %(workspace)s
              and dismissed_at is null and drafted_at is null and merged_into is null),
          'conversations', (
            select count(*) from conversations
            where bot_id = %(bot)s and workspace_id = %(workspace)s
              and (status = 'escalated' and done_at is null)) + (
            select count(*) from leads l
            where l.bot_id = %(bot)s and l.workspace_id = %(workspace)s and l.done_at is null
              and not exists (
                select from conversations c
                where c.workspace_id = l.workspace_id and c.bot_id = l.bot_id and c.id = l.conversation_id
                  and (c.status = 'escalated' and c.done_at is null)))
        )
        """,
        person=ctx.actor.id,
    )
