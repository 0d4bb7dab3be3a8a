"""Reviews: who is asked about new drafts and places, reminders, and the expiry of drafts."""

from starlette.responses import Response

from instep.accounts.people.actions import list_users
from instep.drafting.drafts import assignment_rules
from instep.drafting.drafts.overdue import get_review_schedule, update_review_schedule
from instep.drafting.drafts.queue_schemas import ReviewSchedule
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.review.draft_pages import number_in
from instep.interfaces.dashboard.settings.frame import show_settings
from instep.interfaces.dashboard.writing.article_editor import offered_collections
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role

BELOW = "settings/reviews"
router = PageRouter(BELOW, Role.OWNER)


@router.get()
async def show_reviews(page: BotPage, refusal: AppError | None = None) -> Response:
    ctx = page.ctx
    users = await list_users(ctx.tx, ctx.workspace_id)
    return await show_settings(
        page,
        "reviews",
        refusal,
        rules=await assignment_rules.list_assignment_rules(ctx),
        schedule=await get_review_schedule(ctx),
        collections=(await offered_collections(page, None))[1:],
        reviewers=[
            (user.id, user.email, None)
            for user in users
            if user.disabled_at is None and user.role != Role.VIEWER
        ],
        limits=limits,
    )


@router.post(refused=show_reviews)
async def save_schedule(page: BotPage) -> Response:
    schedule = ReviewSchedule(days_in(page, "reminder_days"), days_in(page, "expiry_days"))
    await update_review_schedule(page.ctx, schedule)
    return page.leave(BELOW, "Saved.")


@router.post("collections", refused=show_reviews)
async def add_collection_rule(page: BotPage) -> Response:
    people, collection = page.form.all("people"), page.form.get("collection", "")
    await assignment_rules.add_collection_rule(page.ctx, collection, people)
    return page.leave(BELOW, "Added: new drafts and places are assigned by this rule.")


@router.post("labels", refused=show_reviews)
async def add_label_rule(page: BotPage) -> Response:
    await assignment_rules.add_label_rule(page.ctx, page.form.get("label", ""))
    return page.leave(BELOW, "Added: new drafts and places of these changes stay unassigned.")


@router.post("remove", refused=show_reviews)
async def remove_rule(page: BotPage) -> Response:
    await assignment_rules.remove_assignment_rule(page.ctx, page.form.get("id", ""))
    return page.leave(BELOW, "Removed: drafts and places that are assigned stay so.")


def days_in(page: BotPage, name: str) -> int | None:
    """The number in a field; None for an empty one, 0 for anything else."""
    text = page.form.get(name, "").strip()
    return number_in(text) if text else None
