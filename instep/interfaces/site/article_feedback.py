"""“Did this help?” on the pages of articles: a rating at once, then the reason if it did not."""

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site import public_forms
from instep.interfaces.site.public_forms import (
    AT_MOST_CHARACTERS,
    PRESS_AGAIN,
    SEND_AGAIN,
    STAMP,
    TRAP,
    VisitorMistake,
)
from instep.interfaces.site.visits import Visit, help_center
from instep.platform.core import limits
from instep.platform.core.errors import NotFound
from instep.platform.web.catalogues import message
from instep.platform.web.forms import Form
from instep.platform.web.public import public
from instep.visitors.insights.feedback import actions
from instep.visitors.insights.schemas import ArticleRating, FeedbackReason

# The reasons, in the words of a reader.
REASONS: dict[FeedbackReason, str] = {
    "unclear": message("It is hard to understand"),
    "outdated": message("It is out of date"),
    "incomplete": message("Something is missing"),
    "wrong": message("It is wrong"),
}
TOO_OLD = message("This page has expired: rate the article again, then send this.")


@public
async def rate_article(request: Request) -> Response:
    """Store the rating; the article's page is cached, so its form contains no time stamp."""
    form = await public_forms.read_public_form(request)
    helpful = form.get("helpful")
    if form.get(TRAP) or helpful not in ("yes", "no"):
        raise VisitorMistake(PRESS_AGAIN)
    async with help_center(request) as visit:
        await public_forms.count_visitor(request, visit.ctx)
        article_id = form.get("article", "").replace("\0", "")
        rating = ArticleRating.model_validate({"articleId": article_id, "helpful": helpful == "yes"})
        feedback = await actions.rate_article(visit.ctx, rating)
        path = f"{visit.root}/feedback"
        if feedback.helpful:
            return public_forms.seen(path, about="article", helpful="yes")
        return public_forms.seen(path, rating=feedback.id, stamp=public_forms.stamp_for(request, feedback.id))


@public
async def show_feedback(request: Request) -> Response:
    """Thank for a rating; after “not helpful” ask what was wrong."""
    query = request.query_params
    async with help_center(request) as visit:
        rating, stamp = query.get("rating"), query.get(STAMP, "")
        if rating is None:
            return public_forms.private_page(
                visit, "thanks.html", about=query.get("about"), helpful=query.get("helpful") == "yes"
            )
        if not public_forms.is_signed(request, rating, stamp):
            raise NotFound
        return reason_page(visit, Form([("rating", rating), (STAMP, stamp)]))


@public
async def explain_rating(request: Request) -> Response:
    """Store why an article did not help."""
    form = await public_forms.read_public_form(request)
    rating, comment = form.get("rating", ""), form.get("comment", "").replace("\r\n", "\n")
    reason = next((reason for reason in REASONS if reason == form.get("reason")), None)
    async with help_center(request) as visit:
        await public_forms.count_visitor(request, visit.ctx)
        if not public_forms.is_from_person(request, rating, form):
            return reason_page(visit, form, notice=SEND_AGAIN)
        if len(comment) > limits.MAX_VISITOR_MESSAGE_CHARACTERS:
            longest = visit.catalogue.number(limits.MAX_VISITOR_MESSAGE_CHARACTERS)
            return reason_page(visit, form, error=visit.catalogue.gettext(AT_MOST_CHARACTERS, number=longest))
        await actions.explain_rating(visit.ctx, rating, reason, comment.replace("\0", ""))
        return public_forms.seen(f"{visit.root}/feedback", about="reason")


def reason_page(visit: Visit, form: Form, *, notice: str | None = None, error: str | None = None) -> Response:
    """The question what was wrong; its stamp is kept if it is valid for the rating."""
    rating = form.get("rating", "")
    is_ours = public_forms.is_signed(visit.request, rating, form.get(STAMP, ""))
    sentence = notice if is_ours else TOO_OLD
    return public_forms.private_page(
        visit,
        "reason.html",
        400 if notice or error else 200,
        reasons=[(reason, visit.catalogue.gettext(words), None) for reason, words in REASONS.items()],
        rating=rating,
        stamp=form.get(STAMP, "") if is_ours else "",
        reason=form.get("reason"),
        comment=form.get("comment", ""),
        notice=sentence and visit.catalogue.gettext(sentence),
        error=error,
    )
