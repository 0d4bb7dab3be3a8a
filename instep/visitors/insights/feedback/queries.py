"""The SQL of readers' feedback on articles."""

from instep.content.articles.live import LIVE
from instep.platform.core import limits
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx
from instep.visitors.insights.schemas import ArticleFeedbackOut, FeedbackReason, FeedbackSummaryOut

ROW = "id, article_id, helpful, reason"
ORDER = Order(("s.unhelpful_count", "s.article_id"), descending=True)
# Feedback on an earlier text does not apply to the current one.
CURRENT_FEEDBACK = """
    from article_feedback f
    join articles a on a.workspace_id = %(workspace)s and a.id = f.article_id
    where f.bot_id = %(bot)s and f.workspace_id = %(workspace)s and a.deleted_at is null
      and f.given_at > greatest(a.text_changed_at, %(since)s)
"""


async def insert(
    ctx: Ctx,
    feedback_id: str,
    article_id: str,
    helpful: bool,
    reason: FeedbackReason | None,
    comment: str | None,
) -> ArticleFeedbackOut | None:
    """Insert a rating; None for an article that is not public: only public articles can be rated."""
    return await ctx.first(
        ArticleFeedbackOut,
        f"""
        insert into article_feedback (id, workspace_id, bot_id, article_id, helpful, reason, comment,
            created_at, given_at)
        select %(id)s, %(workspace)s, a.bot_id, a.id, %(helpful)s, %(reason)s, %(comment)s, %(now)s, %(now)s
        {LIVE} and a.id = %(article)s
        returning {ROW}
        """,
        id=feedback_id,
        article=article_id,
        helpful=helpful,
        reason=reason,
        comment=comment,
    )


async def explain(
    ctx: Ctx, feedback_id: str, reason: FeedbackReason | None, comment: str | None
) -> ArticleFeedbackOut | None:
    return await ctx.first(
        ArticleFeedbackOut,
        f"""
        update article_feedback set reason = coalesce(%(reason)s, reason),
            comment = coalesce(%(comment)s, comment), given_at = %(now)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s and not helpful
        returning {ROW}
        """,
        id=feedback_id,
        reason=reason,
        comment=comment,
    )


async def list_summaries(ctx: Ctx, request: PageRequest) -> Page[FeedbackSummaryOut]:
    page = request.page(ORDER, "feedback", ctx.bot.id)
    return await page.read(
        ctx,
        FeedbackSummaryOut,
        f"""
        select s.* from (
            select a.id as article_id, a.title,
                (count(*) filter (where f.helpful))::integer as helpful_count,
                (count(*) filter (where not f.helpful))::integer as unhelpful_count,
                jsonb_build_object('unclear', count(*) filter (where f.reason = 'unclear'),
                    'outdated', count(*) filter (where f.reason = 'outdated'),
                    'incomplete', count(*) filter (where f.reason = 'incomplete'),
                    'wrong', count(*) filter (where f.reason = 'wrong')) as reasons,
                coalesce((array_agg(jsonb_build_object('helpful', f.helpful, 'reason', f.reason,
                    'comment', f.comment, 'givenAt', f.given_at) order by f.given_at desc, f.id desc)
                    filter (where f.comment is not null))[1:%(comments)s], '{{}}') as comments
            {CURRENT_FEEDBACK} group by a.id, a.title) s
        where {page.condition} {page.tail}
        """,
        since=ctx.now - limits.FEEDBACK_WINDOW,
        comments=limits.MAX_FEEDBACK_COMMENTS,
    )
