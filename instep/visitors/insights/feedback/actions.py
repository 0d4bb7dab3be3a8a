"""Readers' feedback on articles, and the team's view of it."""

from instep.platform.core.errors import InvalidValue, NotFound
from instep.platform.core.ids import new_id
from instep.platform.core.paging import Page, PageRequest
from instep.platform.identity.access import visitors_write
from instep.platform.identity.schemas import Ctx
from instep.platform.text.characters import filled
from instep.visitors.insights.feedback import queries
from instep.visitors.insights.schemas import (
    ArticleFeedbackOut,
    ArticleRating,
    FeedbackReason,
    FeedbackSummaryOut,
)


@visitors_write
async def rate_article(ctx: Ctx, rating: ArticleRating) -> ArticleFeedbackOut:
    """Rate a public article as helpful or not, with a reason if it did not help."""
    sent = rating.model_dump()
    reason, comment = sent.get("reason"), filled(sent.get("comment"))
    if rating.helpful and reason is not None:
        raise InvalidValue(
            "reason", "leave it out if `helpful` is true: it is the reason an article did not help"
        )
    feedback = await queries.insert(ctx, new_id("fb"), rating.article_id, rating.helpful, reason, comment)
    if feedback is None:
        raise NotFound.of("public article")
    return feedback


@visitors_write
async def explain_rating(
    ctx: Ctx, feedback_id: str, reason: FeedbackReason | None, comment: str | None
) -> ArticleFeedbackOut:
    """Add the reason why an article did not help. The last one counts."""
    feedback = await queries.explain(ctx, feedback_id, reason, filled(comment))
    if feedback is None:
        raise NotFound.of("rating")
    return feedback


async def list_feedback(ctx: Ctx, page: PageRequest) -> Page[FeedbackSummaryOut]:
    """List the articles that readers rated, least helpful first.

    It counts the ratings of the last 90 days since the text last changed: earlier ones are about an
    earlier text. `comments` are the newest ones.
    """
    return await queries.list_summaries(ctx, page)
