"""What readers say about articles, and what the team reads of it."""

from instep.platform.core.errors import InvalidValue, NotFound
from instep.platform.core.ids import new_id
from instep.platform.core.paging import Page, PageRequest
from instep.platform.identity.access import visitors_write
from instep.platform.identity.schemas import Ctx
from instep.platform.text.characters import filled
from instep.visitors.insights.feedback import queries
from instep.visitors.insights.schemas import ArticleFeedback, ArticleRating, FeedbackReason, FeedbackSummary


@visitors_write
async def rate_article(ctx: Ctx, rating: ArticleRating) -> ArticleFeedback:
    """Say whether a public article helped, and where it did not, why."""
    sent = rating.model_dump()
    reason, comment = sent.get("reason"), filled(sent.get("comment"))
    if rating.helpful and reason is not None:
        raise InvalidValue(
            "reason", "leave it out if `helpful` is true: it is the reason an article did not help"
        )
    feedback = await queries.insert(ctx, new_id("fb"), rating.article_id, rating.helpful, reason, comment)
    if feedback is None:
        raise NotFound("There is no such public article.")
    return feedback


@visitors_write
async def explain_rating(
    ctx: Ctx, feedback_id: str, reason: FeedbackReason | None, comment: str | None
) -> ArticleFeedback:
    """Say afterwards why an article did not help. The last word counts."""
    feedback = await queries.explain(ctx, feedback_id, reason, filled(comment))
    if feedback is None:
        raise NotFound("There is no such rating.")
    return feedback


async def list_feedback(ctx: Ctx, page: PageRequest) -> Page[FeedbackSummary]:
    """List the articles that readers rated, those first that helped the fewest.

    It counts the ratings of the last 90 days that came after the text changed: those before are about an
    earlier text. `comments` are the newest ones.
    """
    return await queries.list_summaries(ctx, page)
