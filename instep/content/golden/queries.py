"""The SQL of golden questions."""

from instep.content.golden.schemas import GoldenQuestion
from instep.platform.core.database import QueuedStatement
from instep.platform.core.ids import new_id
from instep.platform.identity.schemas import Ctx

GOLDEN = "g.id, g.question, g.locale, g.article_id, a.title as article_title, g.section, g.says, g.created_at"
JOIN = """
    left join articles a on a.workspace_id = %(workspace)s and a.id = g.article_id
"""


async def list_all(ctx: Ctx) -> list[GoldenQuestion]:
    return await ctx.all(
        GoldenQuestion,
        f"""
        select {GOLDEN} from golden_questions g {JOIN}
        where g.bot_id = %(bot)s and g.workspace_id = %(workspace)s order by g.created_at, g.id
        """,
    )


async def list_of_articles(ctx: Ctx, article_ids: list[str]) -> list[GoldenQuestion]:
    return await ask_for_questions_of(ctx, article_ids).all(GoldenQuestion)


def ask_for_questions_of(ctx: Ctx, article_ids: list[str]) -> QueuedStatement:
    """Request the golden questions of articles, together with the next statement."""
    return ctx.queue(
        f"""
        select {GOLDEN} from golden_questions g {JOIN}
        where g.bot_id = %(bot)s and g.workspace_id = %(workspace)s and g.article_id = any(%(articles)s)
        order by g.created_at, g.id
        """,
        articles=article_ids,
    )


async def lock_count(ctx: Ctx) -> None:
    """Lock the number of the bot's questions until this transaction ends."""
    await ctx.tx.advisory_lock(f"golden_questions {ctx.bot.id}")


async def count(ctx: Ctx) -> int:
    return await ctx.value(
        "select count(*) from golden_questions where bot_id = %(bot)s and workspace_id = %(workspace)s"
    )


async def find_article_id(ctx: Ctx, ref: str) -> str | None:
    """The id of an article by its id or slug; for a slug, the bot's own language comes first."""
    return await ctx.value(
        """
        select id from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and deleted_at is null
          and (id = %(ref)s or slug = %(ref)s)
        order by id <> %(ref)s, locale <> %(locale)s, locale limit 1
        """,
        ref=ref,
        locale=ctx.bot.locale,
    )


async def insert(
    ctx: Ctx, question: str, article_id: str, section: str | None, says: str | None
) -> GoldenQuestion | None:
    """Insert a question in the language of its article; None if the article already has it."""
    return await ctx.first(
        GoldenQuestion,
        f"""
        with g as (
            insert into golden_questions (id, workspace_id, bot_id, question, locale, article_id, section,
                says, created_at)
            select %(id)s, workspace_id, bot_id, %(question)s, locale, id, %(section)s, %(says)s, %(now)s
            from articles
            where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(article)s
            on conflict do nothing returning *)
        select {GOLDEN} from g {JOIN}
        """,
        id=new_id("gold"),
        question=question,
        article=article_id,
        section=section,
        says=says,
    )


async def delete(ctx: Ctx, golden_id: str) -> GoldenQuestion | None:
    return await ctx.first(
        GoldenQuestion,
        f"""
        with g as (
            delete from golden_questions
            where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s returning *)
        select {GOLDEN} from g {JOIN}
        """,
        id=golden_id,
    )
